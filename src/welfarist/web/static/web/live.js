// Shows what is new without loading the page again; it works without this as well.
"use strict";

(() => {
  const place = document.getElementById("live");
  if (!place) return;

  const busy = () => document.hidden || place.contains(document.activeElement)
    || !getSelection().isCollapsed || place.querySelector("details[open]");

  const look = async () => {
    if (busy()) return;
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.getElementById("live");
    const same = now && now.textContent === place.textContent;
    if (now) place.dataset.live = now.dataset.live;
    if (now && !same && !busy()) place.replaceChildren(...now.childNodes);
  };

  // How soon to look again is what the page said last.
  const again = () => {
    setTimeout(() => look().catch(() => {}).finally(again), 1000 * Number(place.dataset.live));
  };
  again();
})();
