// The server of the site: it runs Dicecup's own program in Python, inside the browser, and answers every page from it.
//
// A service worker is one for all tabs, outlives page loads, and exists on phones. Python is started when a page asks for
// it and lives as long as the worker: pages keep that awake while they are open. `dicecup site` writes the name of the
// folder with the program in place of FOLDER, so that a new version is a new worker.
import { Pages } from "./FOLDER/pages.js";
import { startRuntime, unpack } from "./FOLDER/runtime.js";

const SCOPE = new URL(self.registration.scope);
const PROGRAM = new URL("FOLDER/", SCOPE);
const CACHE = `dicecup ${SCOPE.pathname} FOLDER`;
const FILES = [/* files */]; // fetched before this worker is installed
const VALUES = [/* values */]; // of the coach, fetched after the start
const FURTHER = [/* further */]; // values of other options, fetched when somebody plays by them
const COMPILED = "compiled"; // bytecode, made by the first start
const SNAPSHOT = "snapshot"; // of Python's memory, made by the first start
const NOTES = "dicecup-snapshot"; // a header that is kept with it
const LIBRARY = "/dicecup/data/LIBRARY";
const SETTINGS = {
  indexURL: PROGRAM.href,
  env: { HOME: "/home/dicecup", DICECUP_DATA: "/data", DICECUP_CACHE: "/cache" },
  stdout: (line) => console.log(line),
  stderr: (line) => console.warn(line),
};
const LANGUAGES = navigator.languages.join(",");
const FEW = 10; // modules and templates that are compiled again rather than the file written again
const STREAM = 240_000; // milliseconds; browsers end a worker that answers one request for five minutes
const COME_BACK = new TextEncoder().encode("retry: 100\n\n"); // milliseconds, at the end of a stream

const inProgram = (name) => new URL(name, PROGRAM).href;
const network = self.fetch.bind(self);
let starting = null;
let server = null;
let unkept = null; // a snapshot that is not yet stored
let completing = null;
let resting = false; // a new version takes over
const underway = new Set(); // for every request that Python has not yet answered: what ends it

// Files whose names end in .gz are kept unpacked, whether or not the host has told the browser to unpack them.
async function store(cache, name) {
  const response = await network(inProgram(name), { cache: "no-cache" });
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  if (!name.endsWith(".gz")) return cache.put(inProgram(name), response);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const body = packed ? new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")) : bytes;
  const type = name.includes(".wasm") ? "application/wasm" : "application/octet-stream";
  return cache.put(inProgram(name.slice(0, -3)), new Response(body, { headers: { "content-type": type } }));
}

async function stored(address) {
  return (await caches.open(CACHE)).match(address);
}

async function storedBytes(name) {
  const found = await stored(inProgram(name));
  return found ? new Uint8Array(await found.arrayBuffer()) : undefined;
}

async function install() {
  const cache = await caches.open(CACHE);
  await Promise.all(FILES.map((name) => store(cache, name)));
}

async function activate() {
  const older = (name) => name.startsWith(`dicecup ${SCOPE.pathname} `) && name !== CACHE;
  for (const name of (await caches.keys()).filter(older)) await caches.delete(name);
  await self.clients.claim();
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

// Pyodide fetches its own files: they are here.
self.fetch = async (input, settings) => (await stored(input.url ?? String(input))) ?? network(input, settings);

function python() {
  starting ??= start().catch((error) => {
    starting = null;
    throw error;
  });
  return starting;
}

// Only one worker has the data: a new version waits until the old worker has ended.
const owned = (until) =>
  new Promise((resolve, reject) => {
    const keep = () => (resolve(), until);
    navigator.locks.request(`dicecup ${SCOPE.pathname}`, keep).catch(reject);
  });

async function start() {
  performance.mark("begun");
  if (!(await stored(inProgram("data.zip")))) await install(); // the browser has tidied up
  const cache = await caches.open(CACHE);
  for (const name of [SNAPSHOT, COMPILED].map(inProgram)) {
    if (!(await cache.match(name))) continue;
    try {
      return await startOnce();
    } catch (error) {
      console.warn(error); // what an earlier start has made is of no use
      await cache.delete(name);
    }
  }
  return startOnce();
}

async function startOnce() {
  const reading = VALUES.map(storedBytes);
  const snapshot = await stored(inProgram(SNAPSHOT));
  const { runtime, bytecode } = await (snapshot ? restored(snapshot) : imported());
  const values = await Promise.all(reading);
  values.forEach((bytes, place) => bytes && placeValue(runtime.FS, VALUES[place], bytes));
  const { promise: owning, resolve: release } = Promise.withResolvers();
  const pages = new Pages(SCOPE.pathname);
  await owned(owning);
  let python = null;
  try {
    await pages.open(runtime.FS, "/data/games.db");
    python = await runtime.pyimport("dicecup.web.in_browser").start(pages, SCOPE.pathname, LANGUAGES, further(runtime.FS));
  } catch (error) {
    release();
    throw error;
  }
  const missing = VALUES.filter((_name, place) => !values[place]);
  server = { python, release, bytecode, missing, FS: runtime.FS };
  performance.mark("started");
  return server;
}

const library = () => ({ path: LIBRARY, code: WebAssembly.compileStreaming(stored(inProgram("library.wasm"))) });

// Python as it was in the first start, with what has been compiled since then.
async function restored(kept) {
  const needed = ["code.zip", "data.zip", COMPILED].map(storedBytes);
  const notes = JSON.parse(kept.headers.get(NOTES));
  const { runtime } = await startRuntime(library(), { notes, memory: kept.body }, SETTINGS);
  const [code, data, compiled] = await Promise.all(needed);
  placeProgram(runtime.FS, code, data);
  const bytecode = runtime.globals.get("bytecode");
  bytecode.forget();
  bytecode.add(compiled ?? null);
  return { runtime, bytecode };
}

// Python with everything imported and the first pages drawn, and a snapshot of it.
async function imported() {
  const needed = ["code.zip", "data.zip", "bytecode.py", COMPILED].map(storedBytes);
  const { runtime, snapshot } = await startRuntime(library(), null, SETTINGS);
  const [code, data, finder, compiled] = await Promise.all(needed);
  placeProgram(runtime.FS, code, data);
  runtime.runPython(new TextDecoder().decode(finder));
  const bytecode = runtime.globals.get("bytecode");
  bytecode.add(compiled ?? null);
  const entry = runtime.pyimport("dicecup.web.in_browser");
  try {
    await entry.prepare(bytecode, LANGUAGES);
    await new Promise((resolve) => setTimeout(resolve)); // until Python has let go of that promise
    entry.settle();
    unkept = snapshot();
  } catch (error) {
    console.warn(error); // then the bytecode has to do
  }
  return { runtime, bytecode };
}

function placeProgram(FS, code, data) {
  FS.mkdirTree("/dicecup");
  FS.writeFile("/dicecup/code.zip", code, { canOwn: true });
  unpack(FS, data, "/dicecup/data");
}

// The coach's values are put among the files of the program.
function placeValue(FS, name, bytes) {
  const path = name.replace("values/", "/dicecup/data/dicecup/");
  FS.mkdirTree(path.replace(/[/][^/]*$/, ""));
  FS.writeFile(path, bytes, { canOwn: true });
}

const further = (FS) => ({
  names: [...VALUES, ...FURTHER],
  async fetch(name) {
    if (!(await stored(inProgram(name)))) await store(await caches.open(CACHE), name);
    placeValue(FS, name, await storedBytes(name));
  },
});

// Later starts need not do again what has been done so far.
async function keepForLater({ bytecode }) {
  const cache = await caches.open(CACHE);
  if (unkept) {
    const { notes, memory } = unkept;
    unkept = null;
    const response = new Response(memory, { headers: { [NOTES]: JSON.stringify(notes) } });
    const put = cache.put(inProgram(SNAPSHOT), response);
    await put.then(() => bytecode.forget()).catch((error) => console.warn(error)); // it is large: the bytecode has to do
  }
  if (bytecode.new >= FEW) await cache.put(inProgram(COMPILED), new Response(bytecode.packed().toJs()));
}

// What can wait until the first page is shown.
function complete() {
  completing ??= fetchRest().finally(() => (completing = null));
  return completing;
}

async function fetchRest() {
  await keepForLater(server);
  const { missing } = server;
  const cache = await caches.open(CACHE);
  while (missing.length > 0) {
    await store(cache, missing[0]);
    placeValue(server.FS, missing[0], await storedBytes(missing[0]));
    server.python.values_came();
    missing.shift();
  }
}

async function answer(request) {
  const address = new URL(request.url);
  if (address.href.startsWith(PROGRAM.href)) return (await stored(address.href)) ?? network(request);
  if (address.pathname.startsWith(`${SCOPE.pathname}static/`)) {
    const kept = await stored(address.href);
    if (kept) return kept;
  }
  // The page that waits starts Python, so that it is on the screen before this worker is busy.
  if ((!server || resting) && request.mode === "navigate" && request.method === "GET") {
    return (await stored(inProgram("start.html"))) ?? network(inProgram("start.html"));
  }
  const body = request.method === "GET" ? null : new Uint8Array(await request.arrayBuffer());
  const { protocol, host, pathname, search } = address;
  const about = [request.method, protocol, host, pathname, search];
  const to = resting ? null : await python();
  if (resting) return unavailable(); // from here on `rest` knows of the request
  const response = await exchange(to, about, [...request.headers], body);
  if (response.headers.get("cache-control")?.includes("immutable")) {
    await (await caches.open(CACHE)).put(address.href, response.clone());
  }
  return response;
}

const unavailable = () => new Response(null, { status: 503 });

// An answer of Python: whole, or as a stream of events.
function exchange(to, about, headers, body) {
  return new Promise((resolve, reject) => {
    let stream = null;
    let leave = null;
    const left = new Promise((done) => (leave = done)); // nobody listens any more
    const begin = (status, lines, whole) => {
      const init = { status, headers: lines };
      if (whole !== undefined) {
        resolve(new Response([204, 304].includes(status) ? null : whole, init));
        return;
      }
      setTimeout(() => (more(COME_BACK), leave()), STREAM);
      const source = { start: (controller) => (stream = controller), cancel: () => leave() };
      resolve(new Response(new ReadableStream(source), init));
    };
    const unlessClosed = (act) => {
      try {
        act();
      } catch {
        // the page has left
      }
    };
    const more = (chunk) => unlessClosed(() => stream?.enqueue(chunk));
    const end = () => unlessClosed(() => stream?.close());
    const drop = () => (leave(), end(), resolve(unavailable()));
    underway.add(drop);
    const answered = to.python.answer(about, headers, body, begin, more, end, left);
    answered.then(end, reject).finally(() => underway.delete(drop));
  });
}

self.addEventListener("fetch", (event) => {
  if (event.request.url.startsWith(SCOPE.href)) event.respondWith(answer(event.request));
});

// Let a new version have the data. Browsers wait with it until this worker has nothing to do: no request may stay open.
async function rest() {
  resting = true;
  const begun = await starting?.catch(() => null); // nothing, if the browser has just stopped this worker
  await begun?.python.rest();
  begun?.release();
  for (const drop of underway) drop();
}

// A page wants this version: say that it works. Only then may the old one rest.
function takeOver({ source }) {
  self.skipWaiting();
  source.postMessage("takes over");
}

// Pages ask for the start, keep this worker awake, and let a new version take over.
self.addEventListener("message", (event) => {
  if (event.data === "update") takeOver(event);
  if (event.data === "rest" && !resting) event.waitUntil(rest());
  if (event.data !== "awake" || resting) return;
  const tell = (text) => event.source.postMessage(text);
  const failed = (error) => {
    console.error(error);
    tell(`failed ${error}`);
  };
  event.waitUntil(python().then(() => tell("ready"), failed));
});

// A page is shown: there is time for the rest.
self.addEventListener("message", (event) => {
  if (event.data !== "shown" || !server) return;
  const unreachable = () => null; // there may be no network
  event.waitUntil(complete().then(() => event.source.postMessage("complete"), unreachable));
});
