// What makes answering quicker; every page works without it.
"use strict";

(() => {
  const opened = performance.now();
  let sent = false;

  // One answer a page: the second click of two does nothing.
  const send = (event) => {
    const form = event.target;
    if (!form.matches("form[data-once]")) return;
    if (sent) {
      event.preventDefault();
      return;
    }
    sent = true;
    const ms = form.querySelector("input[name=ms]");
    if (ms) ms.value = String(Math.round(performance.now() - opened));
    say("Saving…");
    // Buttons that are off are not sent: they are turned off after this one was.
    setTimeout(() => {
      for (const button of document.querySelectorAll("button")) button.disabled = true;
    });
  };

  const say = (words) => {
    const told = document.getElementById("told");
    if (told) told.textContent = words;
  };

  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    for (const button of document.querySelectorAll("button[data-key]")) {
      if (button.dataset.key === event.key.toLowerCase() && !button.disabled) {
        event.preventDefault();
        button.click();
        return;
      }
    }
  };

  // Whoever comes back to a page that was kept as it was sees what is asked now.
  const shown = (event) => {
    if (event.persisted) location.reload();
  };

  // The choice to see numbers holds for the questions after it.
  const remember = (box) => {
    try {
      box.checked = sessionStorage.getItem("numbers") === "yes";
      box.addEventListener("change", () => {
        sessionStorage.setItem("numbers", box.checked ? "yes" : "no");
      });
    } catch {
      // Storage may be forbidden.
    }
  };

  document.addEventListener("submit", send);
  document.addEventListener("keydown", press);
  window.addEventListener("pageshow", shown);
  const box = document.getElementById("numbers");
  if (box) remember(box);
  const told = document.getElementById("told");
  const heading = document.getElementById("question");
  if (heading) heading.focus({ preventScroll: true });
  // Said after the page is there, or nobody hears it.
  if (told && told.dataset.say) setTimeout(() => say(told.dataset.say), 100);
})();
