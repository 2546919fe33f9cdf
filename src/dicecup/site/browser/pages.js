// The database file: SQLite works on it in memory, and what it changed is kept in the browser's own database, page by
// page, in one transaction. An answer is sent only after that. If the browser cannot keep it, the file is as before.
const SIZE = 4096; // bytes of a page
const FILE = "file";
const SPARE = "settings";

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export class Pages {
  constructor(scope) {
    this.name = `dicecup ${scope}`;
    this.before = new Map(); // the pages that have changed, as they were
    this.settings = {}; // what is kept beside the file: small texts by name
    this.changed = false; // whether the settings have
  }

  async open(FS, path) {
    const opening = indexedDB.open(this.name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(FILE);
    this.database = await done(opening);
    const store = this.database.transaction(FILE).objectStore(FILE);
    const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
    const kept = new Map(keys.map((key, place) => [key, values[place]]));
    this.settings = kept.get(SPARE) ?? {};
    const size = kept.get("size") ?? 0;
    const file = new Uint8Array(size);
    for (const [key, page] of kept) if (key * SIZE < size) file.set(page.subarray(0, size - key * SIZE), key * SIZE);
    FS.mkdirTree(path.replace(/\/[^/]*$/, ""));
    FS.writeFile(path, file);
    this.size = size;
    this.node = FS.lookupPath(path).node;
    this.watch();
  }

  get bytes() {
    return this.node.contents.subarray(0, this.node.usedBytes);
  }

  watch() {
    const { write } = this.node.stream_ops;
    const noted = (stream, buffer, offset, length, position, ...more) => {
      const from = position ?? stream.position;
      for (let page = Math.floor(from / SIZE); page * SIZE < from + length; page++) this.note(page);
      return write(stream, buffer, offset, length, position, ...more);
    };
    this.node.stream_ops = { ...this.node.stream_ops, write: noted };
  }

  note(page) {
    if (!this.before.has(page)) this.before.set(page, this.bytes.slice(page * SIZE, (page + 1) * SIZE));
  }

  // Whether the file has changed.
  get written() {
    return this.before.size > 0;
  }

  get dirty() {
    return this.written || this.changed;
  }

  keep(settings) {
    this.settings = JSON.parse(settings);
    this.changed = true;
  }

  // Resolve when everything is on the disk. Settings that could not be kept, or came meanwhile, are kept next time.
  async save() {
    if (!this.dirty) return;
    const { bytes, changed } = this;
    this.changed = false;
    const changes = this.database.transaction(FILE, "readwrite", { durability: "strict" });
    const ended = new Promise((resolve, reject) => {
      changes.oncomplete = resolve;
      changes.onabort = () => reject(changes.error ?? new Error("aborted"));
    });
    ended.catch(() => null);
    try {
      const store = changes.objectStore(FILE);
      for (const page of this.before.keys()) {
        const now = bytes.slice(page * SIZE, (page + 1) * SIZE);
        if (now.length > 0) store.put(now, page);
        else store.delete(page); // the file has become shorter
      }
      store.put(bytes.length, "size");
      if (changed) store.put(this.settings, SPARE);
      await ended;
    } catch (error) {
      this.changed ||= changed;
      this.restore();
      throw error;
    }
    this.size = bytes.length;
    this.before.clear();
  }

  restore() {
    if (this.node.contents.length < this.size) {
      const longer = new Uint8Array(this.size);
      longer.set(this.bytes);
      this.node.contents = longer;
    }
    for (const [page, was] of this.before) if (was.length > 0) this.node.contents.set(was, page * SIZE);
    this.node.usedBytes = this.size;
    this.before.clear();
  }
}
