// The page of an evening. Its card comes from the server as SVG: draw it as a PNG, to be shared or saved.
// While games go on elsewhere, the tally is brought up to date.
const FRESH = 15_000; // milliseconds between two looks
const title = () => document.getElementById("card-buttons").dataset.name;

async function asFile() {
  const picture = document.getElementById("card");
  picture.loading = "eager";
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  canvas.getContext("2d").drawImage(picture, 0, 0);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return new File([blob], `${title()}.png`, { type: "image/png" });
}

async function saveFile() {
  const file = await asFile();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function shareFile() {
  const files = [await asFile()];
  try {
    await navigator.share({ files, title: title() });
  } catch (error) {
    if (error.name !== "AbortError") throw error; // people may change their mind
  }
}

function offer(id, act) {
  const button = document.getElementById(id);
  button.hidden = false;
  button.addEventListener("click", act);
}

function offerCard() {
  if (!document.getElementById("card")) return;
  document.getElementById("plain-card").hidden = true;
  offer("save-card", saveFile);
  const trial = new File([""], "card.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [trial] })) offer("share-card", shareFile);
}

// Nothing changes while something here has the focus; what is open stays open.
async function refresh() {
  const shown = document.getElementById("evening");
  if (document.hidden || shown.contains(document.activeElement)) return;
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("evening");
  if (!found || found.innerHTML === before) return;
  before = found.innerHTML;
  if (shown.querySelector("details[open]")) found.querySelector("details").open = true;
  const picture = found.querySelector("#card");
  if (picture) picture.src += `?${Date.now()}`; // else browsers show the old one
  shown.replaceWith(found);
  offerCard();
}

let before = document.getElementById("evening").innerHTML; // as the server sent it
offerCard();
setInterval(refresh, FRESH);
document.addEventListener("visibilitychange", refresh);
