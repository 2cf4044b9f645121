"use strict";
// Copy buttons: hidden until this runs. What is copied is what is shown and what the QR code holds.
for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    const said = document.getElementById("announce");
    if (said) said.textContent = button.dataset.copy;
  });
}
