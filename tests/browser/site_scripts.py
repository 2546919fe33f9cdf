"""Scripts for the tests of the site: what its browser keeps, spoils and refuses, and its database file."""

from __future__ import annotations

from pathlib import Path

from tests.waiting import PATIENCE, READY

from dicecup.site import builder

REFUSE_TO_STORE = """() => {
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
  self.allowAgain = () => (IDBObjectStore.prototype.put = put);
}"""

UNTIL_COMPLETE = f"""() => new Promise((resolve, reject) => {{
  navigator.serviceWorker.addEventListener("message", ({{ data }}) => data === "complete" && resolve());
  navigator.serviceWorker.controller.postMessage("shown");
  setTimeout(() => reject(new Error("it was never complete")), {1000 * READY});
}})"""

# Requests that change the data, until the worker has heard that it is to rest.
# One request comes while the old version still works, but its body only later.
REST = f"""async () => {{
  const signal = AbortSignal.timeout({1000 * PATIENCE});
  const ask = async (more) => (await fetch("/new/yatzy", {{ signal, ...more }})).status;
  let end = null;
  const body = new ReadableStream({{ start: (controller) => (end = () => controller.close()) }});
  const slow = ask({{ method: "POST", body, duplex: "half" }});
  await ask();
  navigator.serviceWorker.controller.postMessage("rest");
  for (;;) {{
    const status = await ask();
    if (status !== 200) return end(), [status, await slow];
  }}
}}"""
REST_AT_ONCE = f"""async () => {{
  for (const text of ["awake", "rest"]) navigator.serviceWorker.controller.postMessage(text);
  return (await fetch("/new/yatzy", {{ signal: AbortSignal.timeout({1000 * PATIENCE}) }})).status;
}}"""
REFUSE_WORKERS = """ServiceWorkerContainer.prototype.register = async () => {
  throw new DOMException("not here", "SecurityError");
};"""
# Count the new versions that are installed; the page's own listener comes first: they are offered by then.
COUNT_VERSIONS = """async () => {
  const registration = await navigator.serviceWorker.ready;
  window.versions = 0;
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing.addEventListener("statechange", () => (window.versions += installing.state === "installed"));
  });
}"""
# Requests may fail for some time after being offline.
LOOK_FOR_VERSIONS = """async () => {
  if (window.versions) return true;
  await (await navigator.serviceWorker.ready).update().catch(() => null);
  return window.versions > 0;
}"""
# What the page hears from versions, beginning now.
HEAR_WORKERS = """() => {
  window.heard = [];
  navigator.serviceWorker.addEventListener("message", ({ data }) => window.heard.push(data));
}"""
# What there is to see when a new version does not take over.
WORKERS = """async () => {
  const { installing, waiting, active } = (await navigator.serviceWorker.getRegistration()) ?? {};
  const workers = { installing, waiting, active, controller: navigator.serviceWorker.controller };
  const states = Object.entries(workers).map(([name, worker]) => `${name}: ${worker?.state}`);
  const locks = JSON.stringify(await navigator.locks.query());
  return [...states, `heard: ${window.heard}`, locks, document.body.innerText.slice(0, 300)].join("\\n");
}"""
NOTE_START_PAGE = """addEventListener("DOMContentLoaded", () => {
  const { lang, dataset } = document.documentElement;
  const state = document.getElementById("state");
  if (state) sessionStorage.setItem("start page", `${lang} ${dataset.theme} ${state.textContent}`);
});"""
CACHED = """
const [name] = await caches.keys();
const cache = await caches.open(name);
const folder = name.split(" ").at(-1);
const snapshot = await cache.match(`/${folder}/snapshot`);
const notes = JSON.parse(snapshot?.headers.get("dicecup-snapshot") ?? "{}");
"""
KEPT = f"""async () => {{ {CACHED}
  const compiled = (await (await cache.match(`/${{folder}}/compiled`))?.blob())?.size ?? 0;
  return {{ snapshot: Boolean(snapshot), spoilt: Boolean(notes.spoilt), compiled }};
}}"""
# A snapshot of another place of the compiled package; nothing else of it may be looked at. Spoilt modules.
OF_ANOTHER_PLACE = """async (folder) => {
  const cache = await caches.open(`dicecup / ${folder}`);
  const notes = { place: [0, 0], size: 0, references: [], spoilt: true };
  const headers = { "dicecup-snapshot": JSON.stringify(notes) };
  await cache.put(`/${folder}/snapshot`, new Response(new Uint8Array(0), { headers }));
  await cache.put(`/${folder}/compiled`, new Response("spoilt"));
}"""
# A memory in which the database seems to be elsewhere, at a folder.
SPOIL_MEMORY = f"""async () => {{ {CACHED}
  const memory = new Uint8Array(await snapshot.arrayBuffer());
  const text = new TextDecoder("latin1").decode(memory);
  const path = "/data/games.db";
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1))
    memory.set(new TextEncoder().encode("/dicecup/data/"), at);
  const headers = {{ "dicecup-snapshot": JSON.stringify({{ ...notes, spoilt: true }}) }};
  await cache.put(`/${{folder}}/snapshot`, new Response(memory, {{ headers }}));
}}"""
MARKS = "() => performance.getEntriesByType('mark').map(({ name }) => name)"
# Delete everything as the page for that does.
DELETE_MY_DATA = """async () => {
  const read = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
  const form = (await read(await fetch("/mine/data"))).querySelector("form:has(.danger)");
  form.sure.checked = true;
  const sent = { method: form.method, body: new URLSearchParams(new FormData(form)) };
  const page = await read(await fetch(form.getAttribute("action"), sent));
  return page.querySelector("main [role=status]") !== null;
}"""


# The database file of the site, with a stand-in for the file system in which SQLite works.
PAGES = (Path(builder.__file__).parent / "browser" / "pages.js").read_text(encoding="utf-8")
OPEN_PAGES = """() => {
  PAGES
  const node = { stream_ops: { write: () => 0 } };
  const writeFile = (_path, bytes) => Object.assign(node, { contents: bytes, usedBytes: bytes.length });
  const FS = { mkdirTree: () => 0, writeFile, lookupPath: () => ({ node }) };
  const resize = (length) => {
    const contents = new Uint8Array(length);
    contents.set(node.contents.subarray(0, length));
    Object.assign(node, { contents, usedBytes: length });
  };
  const fill = (page, value) => {
    node.stream_ops.write({ position: 0 }, null, 0, 4096, page * 4096);
    if (node.usedBytes < (page + 1) * 4096) resize((page + 1) * 4096);
    node.contents.fill(value, page * 4096, (page + 1) * 4096);
  };
  const open = async (name) => {
    const pages = new Pages(name);
    await pages.open(FS, "/data/games.db");
    return pages;
  };
  const refuse = async (pages) => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
    const refused = await pages.save().then(() => false, () => true);
    IDBObjectStore.prototype.put = put;
    return refused;
  };
  const look = () => [...node.contents].filter((_byte, place) => place % 4096 === 0);
  Object.assign(window, { resize, fill, open, refuse, look });
}""".replace("PAGES", PAGES.replace("export class", "class"))
