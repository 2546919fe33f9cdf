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

announce();
listen();
