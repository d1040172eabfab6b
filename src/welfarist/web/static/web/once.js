// One change a page: of a double click the second one sends nothing. Pages work without this.
"use strict";

(() => {
  let sent = false;
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    if (sent) event.preventDefault();
    sent = true;
  });
  // Whoever comes back to a page that was kept as it was can send it again.
  window.addEventListener("pageshow", () => { sent = false; });
})();
