"use strict";
// Small helps on every page. All of it is optional: each page is whole without a script.

const root = document.documentElement;
const announce = document.getElementById("announce");
// The server's clock decides deadlines; this browser's may be wrong, so keep the difference.
const drift = Number(root.dataset.now) * 1000 - Date.now();
const fill = (words, value) => words.replace("%s", value);

// A failed form: start at the summary of its errors.
document.getElementById("errors")?.focus();

// Copy buttons (templates/common/copy.html): the named element's text, or its data-plain, is copied.
function copyButtons(within) {
  if (!navigator.clipboard) return;
  for (const button of within.querySelectorAll("button[data-copy]")) button.hidden = false;
}
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button[data-copy]");
  const source = button && document.querySelector(button.dataset.copy);
  if (!source) return;
  try {
    await navigator.clipboard.writeText(source.dataset.plain ?? source.textContent.trim());
  } catch {
    return; // The browser refused: the text can still be selected by hand.
  }
  const word = button.firstChild; // The word alone: what it copies, said to screen readers, stands behind it.
  button.dataset.word ??= word.data;
  word.data = announce.textContent = button.dataset.copied;
  setTimeout(() => { word.data = button.dataset.word; }, 3000);
});

// Time left beside an absolute deadline: <span hidden data-left="ISO" data-words="%s left">.
function span(seconds) {
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  const two = (n) => String(n).padStart(2, "0");
  if (days > 2) return `${days} ${root.dataset.day}`;
  if (hours) return `${hours}\u00a0h ${two(minutes % 60)}\u00a0min`;
  return minutes ? `${minutes}\u00a0min` : `${Math.floor(seconds)}\u00a0s`;
}
function countDown() {
  for (const place of document.querySelectorAll("[data-left]")) {
    const seconds = (Date.parse(place.dataset.left) - Date.now() - drift) / 1000;
    place.hidden = !(seconds > 0);
    const words = fill(place.dataset.words, span(Math.max(0, seconds)));
    if (place.textContent !== words) place.textContent = words;
  }
}

// The reader's own time beside a UTC time, never instead of it: <time datetime="ISO" data-local>.
function localTimes(within) {
  const own = new Intl.DateTimeFormat(root.lang, { dateStyle: "medium", timeStyle: "short" });
  const day = new Intl.DateTimeFormat(root.lang, { dateStyle: "medium" });
  const clock = new Intl.DateTimeFormat(root.lang, { timeStyle: "short" });
  for (const time of within.querySelectorAll("time[data-local]")) {
    const at = new Date(time.dateTime);
    delete time.dataset.local;
    if (Number.isNaN(at.valueOf()) || at.getTimezoneOffset() === 0) continue;
    const sameDay = day.format(at) === new Intl.DateTimeFormat(root.lang, { dateStyle: "medium", timeZone: "UTC" }).format(at);
    const note = document.createElement("small");
    note.className = "hint";
    note.textContent = ` (${fill(root.dataset.yours, sameDay ? clock.format(at) : own.format(at))})`;
    time.after(note);
  }
}

// Polling (htmx, where a page loads it): rest while the tab is hidden, and say so when a fetch failed.
const stale = document.getElementById("stale");
const polled = (event) => (event.detail?.elt?.getAttribute?.("hx-trigger") ?? "").includes("every");
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && polled(event)) event.preventDefault();
});
for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(name, () => { if (stale) stale.hidden = false; });
}
document.addEventListener("htmx:afterOnLoad", (event) => {
  if (stale && event.detail.xhr.status < 400) stale.hidden = true;
});
document.addEventListener("htmx:load", (event) => refresh(event.detail.elt));

function refresh(within) {
  copyButtons(within);
  localTimes(within);
  countDown();
}
refresh(document);
setInterval(countDown, 1000);
