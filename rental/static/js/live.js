"use strict";
// The live part of a run page: ask only for what changed, let the age of the last report grow, tell a listener of news.
{
  const say = document.getElementById("announce");
  const part = () => document.getElementById("live");
  let said = part()?.dataset.said;
  let shownAt = Date.now();

  // The server answers 304 while nothing moved; pages of signed-in people are in no cache, so the tag is sent by hand.
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt === part()) event.detail.headers["If-None-Match"] = part().dataset.etag;
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 304) event.detail.shouldSwap = false;
  });
  document.addEventListener("htmx:afterSwap", () => {
    shownAt = Date.now();
    const news = part()?.dataset.said;
    if (say && news && news !== said) say.textContent = news;
    said = news ?? said;
    grow();
  });

  function span(seconds) {
    return seconds < 90 ? `${seconds}\u00a0s` : `${Math.floor(seconds / 60)}\u00a0min`;
  }
  function grow() {
    for (const place of document.querySelectorAll("[data-age]")) {
      const age = Number(place.dataset.age) + Math.floor((Date.now() - shownAt) / 1000);
      place.textContent = place.dataset.words.replace("%s", span(age));
      place.classList.toggle("late", age >= 30);
    }
  }
  setInterval(grow, 1000);
}
