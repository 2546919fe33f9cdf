// Live changes, as an event stream: it begins with the whole match. Players get it again after every change; spectators
// get the parts of it that changed, each time from one stamp to the next.
import { showPresence, showReaction } from "./company.js";
import { showMarks } from "./dice.js";
import { draw, drawParts, match } from "./drawing.js";
import { showUnreachable } from "./reach.js";

// Browsers reconnect after an interruption, but never after an error status: then we do, with growing pauses.
const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 60000;
const root = new URL("../../", import.meta.url); // of the server; the site may be in a folder of its host
let events = null;
let pause = SHORTEST_PAUSE;
let late = null; // the timer of the notice, which is not shown for a stream that merely reconnects

export function listen() {
  const notLive = document.getElementById("not-live");
  if (events) events.close();
  events = new EventSource(new URL(`t/${match().dataset.match}/events`, root));
  events.addEventListener("open", () => {
    pause = SHORTEST_PAUSE;
    showPresence(""); // who is here follows, if anybody is
    clearTimeout(late);
    notLive.hidden = true;
    showUnreachable(false);
  });
  events.addEventListener("match", (event) => {
    showUnreachable(false); // the answer to a request may come later, when its form is no longer in the page
    if (event.lastEventId !== match().dataset.stamp) draw(event.data);
  });
  events.addEventListener("change", (event) => {
    showUnreachable(false);
    if (event.lastEventId === match().dataset.stamp) return;
    const { after, parts } = JSON.parse(event.data);
    if (after === match().dataset.stamp) drawParts(parts);
    else listen(); // something was missed: begin again
  });
  events.addEventListener("marks", (event) => showMarks(event.data));
  events.addEventListener("presence", (event) => showPresence(event.data));
  events.addEventListener("reaction", (event) => showReaction(event.data));
  events.addEventListener("error", () => {
    clearTimeout(late);
    late = setTimeout(() => (notLive.hidden = false), SHORTEST_PAUSE);
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, pause * (0.5 + Math.random()));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  });
}

addEventListener("pagehide", () => events.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});
