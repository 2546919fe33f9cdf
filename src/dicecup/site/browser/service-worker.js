// The server of the site: it runs Dicecup's own program in Python, inside the browser, and answers every page from it.
//
// A service worker is one for all tabs, outlives page loads, and exists on phones. Python is started when a page asks for
// it and lives as long as the worker: pages keep that awake while they are open. `dicecup site` writes the name of the
// folder with the program in place of FOLDER, so that a new version is a new worker.
import { loadPyodide } from "./FOLDER/pyodide.mjs";
import createPyodideModule from "./FOLDER/pyodide.asm.mjs";
import { Pages } from "./FOLDER/pages.js";

const SCOPE = new URL(self.registration.scope);
const PROGRAM = new URL("FOLDER/", SCOPE);
const CACHE = `dicecup ${SCOPE.pathname} FOLDER`;
const FILES = [/* files */]; // fetched before this worker is installed
const VALUES = [/* values */]; // of the coach, fetched after the start
const COMPILED = "compiled"; // bytecode, made by the first start
const FEW = 10; // modules and templates that are compiled again rather than the file written again
const STREAM = 240_000; // milliseconds; browsers end a worker that answers one request for five minutes
const COME_BACK = new TextEncoder().encode("retry: 100\n\n"); // milliseconds, at the end of a stream

const inProgram = (name) => new URL(name, PROGRAM).href;
const network = self.fetch.bind(self);
let starting = null;
let server = null;
let bytecode = null;
let completing = null;

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
  if (!(await stored(inProgram("data.zip")))) await install(); // the browser has tidied up
  const needed = ["code.zip", "data.zip", "bytecode.py", COMPILED].map(storedBytes);
  const { promise: owning, resolve: release } = Promise.withResolvers();
  const pages = new Pages(SCOPE.pathname);
  const runtime = await loadPyodide({
    indexURL: PROGRAM.href,
    createPyodideModule,
    env: { HOME: "/home/dicecup", DICECUP_DATA: "/data", DICECUP_CACHE: "/cache" },
    stdout: (line) => console.log(line),
    stderr: (line) => console.warn(line),
  });
  const [code, data, finder, compiled] = await Promise.all(needed);
  runtime.FS.mkdirTree("/dicecup");
  runtime.FS.writeFile("/dicecup/code.zip", code);
  runtime.unpackArchive(data.buffer, "zip", { extractDir: "/dicecup/data" });
  runtime.runPython(new TextDecoder().decode(finder));
  bytecode = runtime.globals.get("install")(compiled ?? null);
  const placed = await Promise.all(VALUES.map((name) => placeValue(runtime.FS, name)));
  await owned(owning);
  let python = null;
  try {
    await pages.open(runtime.FS, "/data/games.db");
    const entry = runtime.pyimport("dicecup.web.in_browser");
    python = await entry.start(pages, bytecode, SCOPE.pathname, navigator.languages.join(","));
  } catch (error) {
    release();
    throw error;
  }
  const standardLibrary = runtime.globals.get("compiled_standard_library");
  server = { python, release, standardLibrary, FS: runtime.FS, missing: VALUES.filter((_name, place) => !placed[place]) };
  return server;
}

// Later starts need not compile what has been imported and drawn so far.
async function keepBytecode() {
  if (bytecode.new < FEW) return;
  const cache = await caches.open(CACHE);
  const keep = (name, packed) => cache.put(inProgram(name), new Response(packed));
  if (!(await stored(inProgram(COMPILED)))) await keep("python_stdlib.zip", server.standardLibrary().toJs());
  await keep(COMPILED, bytecode.packed().toJs());
}

// The coach's values: those that are here are put among the files of the program.
async function placeValue(FS, name) {
  const bytes = await storedBytes(name);
  if (!bytes) return false;
  const path = name.replace("values/", "/dicecup/data/dicecup/");
  FS.mkdirTree(path.replace(/[/][^/]*$/, ""));
  FS.writeFile(path, bytes);
  return true;
}

// What can wait until the first page is shown.
function complete() {
  completing ??= fetchRest().finally(() => (completing = null));
  return completing;
}

async function fetchRest() {
  await keepBytecode();
  const { missing } = server;
  const cache = await caches.open(CACHE);
  while (missing.length > 0) {
    await store(cache, missing[0]);
    await placeValue(server.FS, missing[0]);
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
  if (!server && request.mode === "navigate" && request.method === "GET") {
    return (await stored(inProgram("start.html"))) ?? network(inProgram("start.html"));
  }
  const body = request.method === "GET" ? null : new Uint8Array(await request.arrayBuffer());
  const { protocol, host, pathname, search } = address;
  const about = [request.method, protocol, host, pathname, search];
  const response = await exchange(await python(), about, [...request.headers], body);
  if (response.headers.get("cache-control")?.includes("immutable")) {
    await (await caches.open(CACHE)).put(address.href, response.clone());
  }
  return response;
}

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
    to.python.answer(about, headers, body, begin, more, end, left).then(end, reject);
  });
}

self.addEventListener("fetch", (event) => {
  if (event.request.url.startsWith(SCOPE.href)) event.respondWith(answer(event.request));
});

// Pages ask for the start, keep this worker awake, and let a new version take over.
self.addEventListener("message", (event) => {
  if (event.data === "update") self.skipWaiting();
  if (event.data === "rest" && server) event.waitUntil(server.python.rest().then(server.release));
  if (event.data !== "awake") return;
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
