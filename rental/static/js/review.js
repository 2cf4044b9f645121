"use strict";
// Keys for looking at many items: optional, off while a note is written, and switched off by one box that is remembered.
{
  const box = document.getElementById("use-shortcuts");
  const form = document.getElementById("review");
  const KEY = "kernodeck-shortcuts";
  if (box && form) {
    box.closest("#shortcuts").hidden = false;
    box.checked = localStorage.getItem(KEY) !== "off";
    box.addEventListener("change", () => localStorage.setItem(KEY, box.checked ? "on" : "off"));
    const verdict = { r: "right", w: "wrong", u: "unsure" };
    document.addEventListener("keydown", (event) => {
      const writing = event.target.closest?.("textarea, input:not([type=radio]):not([type=checkbox]), select");
      if (!box.checked || writing || event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key.toLowerCase();
      if (key in verdict) {
        const radio = form.querySelector(`input[value=${verdict[key]}]`);
        radio.checked = true;
        radio.focus();
      } else if (key === "n") document.getElementById("next-item")?.click();
      else if (key === "p") document.getElementById("previous-item")?.click();
      else if (key === "s") form.requestSubmit(form.querySelector("button"));
      else return;
      event.preventDefault();
    });
  }
}
