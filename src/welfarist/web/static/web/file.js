// Says that a file is too large before it is sent: servers refuse it as well, in words of their own.
"use strict";

for (const field of document.querySelectorAll("input[type=file][data-megabytes]")) {
  field.addEventListener("change", () => {
    const most = Number(field.dataset.megabytes);
    const size = field.files.length ? field.files[0].size / 2 ** 20 : 0;
    const found = Math.ceil(10 * size) / 10; // never the number that is allowed
    field.setCustomValidity(found > most
      ? `The file must have ${most} megabytes at most; this one has ${found}.` : "");
    field.reportValidity();
  });
}
