// The card of an evening comes from the server as SVG: draw it as a PNG, to be shared or saved.
const picture = document.getElementById("card");
const buttons = document.getElementById("card-buttons");
const share = document.getElementById("share-card");
const save = document.getElementById("save-card");

async function asFile() {
  picture.loading = "eager";
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  canvas.getContext("2d").drawImage(picture, 0, 0);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return new File([blob], `${buttons.dataset.name}.png`, { type: "image/png" });
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
    await navigator.share({ files, title: buttons.dataset.name });
  } catch (error) {
    if (error.name !== "AbortError") throw error; // people may change their mind
  }
}

if (picture) {
  document.getElementById("plain-card").hidden = true;
  save.hidden = false;
  save.addEventListener("click", saveFile);
  const trial = new File([""], "card.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [trial] })) {
    share.hidden = false;
    share.addEventListener("click", shareFile);
  }
}
