// On the site the program runs in a service worker. Browsers stop one that has nothing to do: an open page keeps it awake,
// so that no tap waits for Python to start. A new version never replaces a running one without consent.
const AWAKE = 15_000; // milliseconds; a worker may rest for 30 seconds
const { serviceWorker } = navigator;
const bar = document.getElementById("new-version");

const tell = (text) => serviceWorker.controller?.postMessage(text);

setInterval(() => tell("awake"), AWAKE);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && tell("awake"));
tell("shown");
try {
  const { lang, dataset } = document.documentElement;
  localStorage.setItem("dicecup language", lang); // for the page that waits for the start
  localStorage.setItem("dicecup theme", dataset.theme);
} catch {
  // the browser allows no storage
}
navigator.storage?.persist?.(); // asks the browser not to delete the games when space is short

// In every tab: an offer that is still open would stop the new version, too.
serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });

// The old version stops when the new one answers. One that was uploaded only in part never does.
let old = null;
serviceWorker.addEventListener("message", ({ data }) => data === "takes over" && old.postMessage("rest"));

// Whichever version waits when the button is tapped: another one may have come since it was shown.
function offer() {
  if (!registration.waiting) return;
  bar.hidden = false;
  bar.querySelector("button").onclick = () => {
    old = serviceWorker.controller;
    registration.waiting?.postMessage("update");
  };
}

// Browsers fetch downloads from the network, past the service worker: fetch them here, where they are made.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[download]");
  if (!link || link.protocol === "blob:") return;
  event.preventDefault();
  const answer = await fetch(link.href);
  const named = answer.headers.get("content-disposition")?.match(/filename="?([^";]+)/)?.[1];
  const copy = document.createElement("a");
  copy.href = URL.createObjectURL(await answer.blob());
  copy.download = named ?? link.download;
  copy.click();
  setTimeout(() => URL.revokeObjectURL(copy.href), 60_000);
});

const registration = await serviceWorker.ready;
offer();
registration.addEventListener("updatefound", () => {
  const worker = registration.installing;
  worker?.addEventListener("statechange", () => worker.state === "installed" && offer());
});
