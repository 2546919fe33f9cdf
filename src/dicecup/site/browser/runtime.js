// Python: started from its code, or from a snapshot of its memory that the first start made after drawing the first pages.
//
// A snapshot holds the memory, but not the table of functions. Therefore the compiled package is put into both at the
// same place every time: before Python starts, so that nothing else has asked for room. Where that is depends on what
// the browser can do; after an update that changed it, the snapshot is of no use.
import createPyodideModule from "./pyodide.asm.mjs";
import { loadPyodide } from "./pyodide.mjs";

const PIECE = 1 << 20; // bytes
const ENTRY = 0x04034b50; // begins a file in an archive
const HEAD = 30; // bytes before its name

// Start Python. `library` is the compiled package: its path, and a promise of its code. `kept` is an earlier snapshot: its
// notes, and a stream of its memory.
export async function startRuntime(library, kept, settings) {
  let place = null;
  const createModule = async (given) => {
    given.preRun.push(async (module) => {
      module.addRunDependency(library.path);
      const code = await library.code;
      module.preloadedWasm[library.path] = module.loadWebAssemblyModule(code, { nodelete: true }, library.path, {});
      place = [module.wasmTable.length, module._sbrk(0)];
      module.removeRunDependency(library.path);
    });
    const module = await createPyodideModule(given);
    performance.mark("compiled");
    if (kept) {
      if (String(kept.notes.place) !== String(place)) throw new Error(`The snapshot is of another place than ${place}`);
      await fill(module, kept);
      given.API.restoreSnapshot = () => kept.notes.references;
      performance.mark("restored");
    }
    return module;
  };
  const way = kept ? { _loadSnapshot: new Uint8Array(0) } : { _makeSnapshot: true };
  const runtime = await loadPyodide({ ...settings, ...way, createPyodideModule: createModule });
  return { runtime, snapshot: () => snapshot(runtime, place) };
}

// A copy of the memory in use, and of Python's references to objects of the browser.
function snapshot({ _api, _module }, place) {
  const references = _api.serializeHiwireState();
  const memory = _module.HEAPU8.slice(0, _module._sbrk(0));
  return { notes: { place, size: memory.length, references }, memory };
}

// Read a snapshot piece by piece: a second copy of all of it would stay in memory until the browser tidies up.
async function fill(module, { notes, memory }) {
  module.growMemory(notes.size);
  const reader = readerOf(memory);
  let room = new ArrayBuffer(PIECE);
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read(new Uint8Array(room));
    if (done) break;
    module.HEAPU8.set(value, size);
    size += value.length;
    room = value.buffer;
  }
  if (size !== notes.size) throw new Error(`The snapshot has ${size} bytes instead of ${notes.size}`);
}

function readerOf(stream) {
  try {
    return stream.getReader({ mode: "byob" }); // all pieces in the same room
  } catch {
    return stream.getReader(); // of browsers that cannot do that
  }
}

// Put the files of an archive, in which nothing is compressed, into a folder. They share its memory.
export function unpack(FS, archive, folder) {
  const view = new DataView(archive.buffer);
  const text = new TextDecoder();
  const made = new Set();
  for (let at = 0; view.getUint32(at, true) === ENTRY; ) {
    const size = view.getUint32(at + 18, true);
    const begin = at + HEAD + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
    const path = `${folder}/${text.decode(archive.subarray(at + HEAD, at + HEAD + view.getUint16(at + 26, true)))}`;
    const parent = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(parent)) FS.mkdirTree(parent);
    made.add(parent);
    FS.writeFile(path, archive.subarray(begin, begin + size), { canOwn: true });
    at = begin + size;
  }
}
