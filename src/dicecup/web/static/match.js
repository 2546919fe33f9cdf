// The page of a match. The server renders it and decides everything; these modules add what a server cannot do.
import "./dice.js";
import "./dice_pad.js";
import "./feedback.js";
import "./keyboard.js";
import "./presses.js";
import "./share.js";
import "./word.js";
import { announce } from "./drawing.js";
import { listen } from "./live.js";

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-close]")) return;
  document.getElementById("hint").replaceChildren();
  document.getElementById("ask").focus({ preventScroll: true });
});

// The reasons of a hint come later, in a new box: what was opened in the old one stays open.
let opened = [];
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.matches(".hint-box")) opened = [...detail.target.querySelectorAll("details[open] > summary")].map(({ id }) => id);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of opened.splice(0)) document.getElementById(id)?.parentElement.setAttribute("open", "");
});

announce();
listen();
