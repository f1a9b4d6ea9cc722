// What a disk holds after a loss of power, from the log that shim.c wrote. Nothing is certain but
// what was flushed: of the data of a file since its last flush any pages or sectors may be there, in
// any order, and of the names of a folder since its last flush any changes. A name does not become
// certain by a flush of its file. A rename is one change.
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { between } from '../content.mjs';

const HEADER_BYTES = 56;
const KINDS = [null, 'create', 'make', 'write', 'cut', 'flush', 'move', 'link', 'remove', 'tell'];
const PAGE = 4_096;
const SECTOR = 512;

/** The events, in their order. */
export function readLog(file) {
  const bytes = readFileSync(file);
  const events = [];
  for (let at = 0; at < bytes.length; ) {
    const number = (i) => Number(bytes.readBigUInt64LE(at + 8 + 8 * i));
    const nameEnd = at + HEADER_BYTES + bytes.readUInt32LE(at + 4);
    const kind = KINDS[bytes.readUInt32LE(at)];
    const length = kind === 'cut' ? 0 : number(3);
    events.push({
      from: at,
      kind,
      folder: number(0),
      file: number(1),
      offset: number(2),
      otherFolder: number(4),
      born: bytes.readBigUInt64LE(at + 48),
      name: bytes.toString('utf8', at + HEADER_BYTES, nameEnd),
      data: bytes.subarray(nameEnd, nameEnd + length),
    });
    at = nameEnd + length;
  }
  return events;
}

/**
 * A disk to which events happen. `root` is the inode of a folder that was there before, empty but
 * for folders of that name. `flushes: false`: a disk that only says that it flushed.
 */
export class Disk {
  #root;
  #flushes;
  #nodes = new Map();

  constructor(root, { flushes = true } = {}) {
    this.#flushes = flushes;
    this.#root = this.#folder(root);
  }

  happen(event) {
    const { kind, folder, file, offset, name, data } = event;
    if (kind === 'create') this.#nodes.set(file, newFile(event));
    if (kind === 'make') this.#nodes.set(file, newFolder());
    if (['create', 'make', 'link'].includes(kind))
      this.#change({ to: this.#folder(folder), name, node: this.#nodes.get(file) });
    else if (kind === 'write') this.#nodes.get(file).waiting.push({ at: offset, data });
    else if (kind === 'cut') this.#nodes.get(file).waiting.push({ size: offset });
    else if (kind === 'remove') this.#change({ to: this.#folder(folder), name, node: null });
    else if (kind === 'move')
      this.#change({
        to: this.#folder(folder),
        name,
        node: this.#nodes.get(file),
        from: this.#folder(event.otherFolder),
        oldName: data.toString(),
      });
    else if (kind === 'flush' && this.#flushes) flush(this.#nodes.get(file));
  }

  /** Writes into an empty folder what is there if the power is lost now; `null`: if it is not. */
  write(folder, random) {
    const identities = new Map();
    writeFolder(folder, this.#root, lossesOf(random), identities);
    return identities;
  }

  #folder(inode) {
    if (!this.#nodes.has(inode)) this.#nodes.set(inode, newFolder());
    return this.#nodes.get(inode);
  }

  #change(change) {
    change.to.waiting.push(change);
    if (change.from !== undefined && change.from !== change.to) change.from.waiting.push(change);
  }
}

function newFolder() {
  return { isFolder: true, entries: new Map(), waiting: [] };
}

function newFile({ file, born }) {
  return { inode: file, born, bytes: Buffer.alloc(0), waiting: [] };
}

function flush(node) {
  if (node === undefined) return;
  if (node.isFolder) {
    for (const change of node.waiting) change.isCertain = true;
    node.entries = entriesOf(node, () => true);
  } else node.bytes = bytesOf(node, node.waiting);
  node.waiting = [];
}

/** What of it survives, by chance: for each file and for all names one of several ways. */
function lossesOf(random) {
  if (random === null) return { survives: () => true, survivingOf: ({ waiting }) => waiting };
  const share = [0, 1, 0.5, 0.9, 0.1][between(random, 0, 4)];
  const chosen = new Map();
  const survives = (change) => {
    if (!chosen.has(change)) chosen.set(change, random() < share);
    return change.isCertain === true || chosen.get(change);
  };
  return { survives, survivingOf: ({ waiting }) => surviving(waiting, random) };
}

function surviving(waiting, random) {
  const way = between(random, 0, 4);
  if (way === 0) return [];
  if (way === 1) return waiting;
  if (way === 2) {
    const kept = waiting.slice(0, between(random, 0, waiting.length));
    const last = kept.pop();
    return last === undefined ? [] : [...kept, ...piecesOf(last, SECTOR).slice(0, between(random, 0, 8))];
  }
  const share = random();
  // The length of a file may be known although its bytes are not there.
  const isGrown = random() < 0.5;
  return waiting.flatMap((change) =>
    piecesOf(change, way === 3 ? PAGE : SECTOR)
      .map((piece) => (random() < share ? piece : { grown: isGrown ? piece.at + piece.data?.length : 0 }))
      .filter((piece) => piece.grown !== 0),
  );
}

function piecesOf(change, size) {
  if (change.data === undefined) return [change];
  const pieces = [];
  for (let at = change.at, end = at + change.data.length; at < end; ) {
    const next = Math.min(end, (Math.floor(at / size) + 1) * size);
    pieces.push({ at, data: change.data.subarray(at - change.at, next - change.at) });
    at = next;
  }
  return pieces;
}

function bytesOf({ bytes }, changes) {
  let size = bytes.length;
  let most = size;
  for (const { at, data, size: cut, grown = 0 } of changes) {
    size = cut ?? Math.max(size, data === undefined ? grown || 0 : at + data.length);
    most = Math.max(most, size);
  }
  const result = Buffer.alloc(most);
  let length = bytes.copy(result);
  for (const { at, data, size: cut, grown } of changes) {
    if (data !== undefined) length = Math.max(length, at + data.copy(result, at));
    else if (cut !== undefined) {
      if (cut < length) result.fill(0, cut, length);
      length = cut;
    } else length = Math.max(length, grown || 0);
  }
  return result.subarray(0, length);
}

function entriesOf(node, survives) {
  const entries = new Map(node.entries);
  for (const change of node.waiting) {
    if (!survives(change)) continue;
    const { to, name, node: entry, from, oldName } = change;
    if (from === node) entries.delete(oldName);
    if (to !== node) continue;
    if (entry === null) entries.delete(name);
    else entries.set(name, entry);
  }
  return entries;
}

function writeFolder(folder, node, losses, identities) {
  for (const [name, entry] of entriesOf(node, losses.survives)) {
    const path = join(folder, name);
    if (entry.isFolder) {
      mkdirSync(path, { mode: 0o700, recursive: true });
      writeFolder(path, entry, losses, identities);
    } else {
      writeFileSync(path, bytesOf(entry, losses.survivingOf(entry)), { mode: 0o600 });
      const { dev, ino, birthtimeNs } = lstatSync(path, { bigint: true });
      identities.set(`${dev} ${entry.inode} ${entry.born}`, `${dev} ${ino} ${birthtimeNs}`);
    }
  }
}
