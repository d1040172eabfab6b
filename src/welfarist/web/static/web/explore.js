// The ranking follows the sliders; without this the button shows it.
"use strict";

(() => {
  const form = document.getElementById("sliders");
  const place = document.getElementById("ranking");
  const problem = document.getElementById("problem");
  const now = document.getElementById("p-now");
  let waiting = null;
  let last = 0;

  const query = (power) => {
    const told = new URLSearchParams();
    told.append("p", power ?? form.querySelector("#p").value);
    for (const slider of form.querySelectorAll("input[name=w]")) told.append("w", slider.value);
    return told;
  };

  const show = async (power) => {
    const mine = ++last;
    const told = query(power);
    const answer = await fetch(`${form.dataset.ranking}?${told}`, { credentials: "same-origin" });
    const found = await answer.json();
    if (mine !== last) return;
    problem.hidden = answer.ok;
    if (!answer.ok) {
      problem.textContent = found.problem;
      return;
    }
    place.innerHTML = found.html; // written by our server, every name escaped
    now.textContent = found.p;
    history.replaceState(null, "", `?${found.query}`);
  };

  const soon = (power) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => show(power).catch(() => form.requestSubmit()), 60);
  };

  form.addEventListener("input", () => soon());
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button || button.name !== "p") return;
    event.preventDefault();
    form.querySelector("#p").value = button.value.replace("-inf", "-6").replace("inf", "3");
    soon(button.value);
  });
  document.getElementById("show").hidden = true;
})();
