/**
 * Counts line ends and UTF-16 units in bytes, and finds what may be formatting. Long runs go
 * through a few hundred bytes of WebAssembly, sixteen bytes at a time: `byte-scan.wat` is its text,
 * `wat2wasm` made `MODULE` of it. A loop does the same where they are short, or where there is no
 * WebAssembly. The module is loaded once a process has looked at some kilobytes: a loop that is not
 * optimised yet takes longer for them.
 */

/** Below this, the module is not loaded. */
const LONG_BYTES = 8_192;
const SHORT_BYTES = 256;
/** A multiple of sixteen: see the module. */
const RANGE_BYTES = 65_536;
const OFFSETS_AT = 131_072;
const LF = 10;
const CR = 13;
const ESC = 27;

const MODULE = [
  'AGFzbQEAAAABCwJgAX8Bf2ABewF/AwUEAAAAAQUDAQAGByYEBm1lbW9yeQIABmJyZWFrcwAABXVuaXRzAAEIY29u',
  'dHJvbHMAAgqtAwSHAQIDfwJ7AkADQCABIABPDQEgAUHwH2ohAiACIABLBEAgACECC/0MAAAAAAAAAAAAAAAAAAAA',
  'ACEFA0AgAf0ABAAhBCAFIARBCv0P/SMgBEEN/Q/9IyAB/QAEAUEK/Q/9I/1P/VD9cSEFIAFBEGohASABIAJJDQAL',
  'IAMgBRADaiEDDAALCyADC3sCA38CewJAA0AgASAATw0BIAFB8A9qIQIgAiAASwRAIAAhAgv9DAAAAAAAAAAAAAAA',
  'AAAAAAAhBQNAIAH9AAQAIQQgBSAEQb9//Q/9J/1xIARB8AH9D/0s/XEhBSABQRBqIQEgASACSQ0ACyADIAUQA2oh',
  'AwwACwsgAwuBAQIDfwF7QYCACCECAkADQCABIABPDQEgAf0ABAAhBCAEQRv9D/0jIARBDf0P/SMgAf0ABAFBCv0P',
  '/SP9T/1Q/WQhAwJAA0AgA0UNASACIAEgA2hqNgIAIAJBBGohAiADIANBAWtxIQMMAAsLIAFBEGohAQwACwsgAkGA',
  'gAhrQQJ2CyMBAXsgAP19/X8hASAB/RsAIAH9GwFqIAH9GwIgAf0bA2pqCw==',
].join('');

/** Only what is used here; Node's types lack it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
};

interface Exports extends Pick<Scanner, 'breaks' | 'units' | 'controls'> {
  readonly memory: { readonly buffer: ArrayBuffer };
}

interface Scanner {
  readonly memory: Uint8Array;
  readonly breaks: (length: number) => number;
  readonly units: (length: number) => number;
  readonly controls: (length: number) => number;
  readonly offsets: Int32Array;
}

const NO_OFFSETS = new Int32Array(0);

let looped = 0;
/** Null if not available. */
let scanner: Scanner | null | undefined;

/** Line ends (LF, CRLF and CR). A CR that `end` separates from its LF counts. */
export function countBreaks(bytes: Uint8Array, start: number, end: number): number {
  const found = scannerFor(end - start);
  if (found === null) return countBreaksInLoop(bytes, start, end);
  let breaks = 0;
  for (let at = start; at < end; at += RANGE_BYTES) breaks += found.breaks(load(found, bytes, at, end));
  return breaks;
}

/** UTF-16 units of well-formed text: one a character, two where it has four bytes. */
export function countUnits(bytes: Uint8Array, start: number, end: number): number {
  const found = scannerFor(end - start);
  if (found === null) return countUnitsInLoop(bytes, start, end);
  let units = 0;
  for (let at = start; at < end; at += RANGE_BYTES) {
    const length = load(found, bytes, at, end);
    // Trailing zeros count as characters.
    units += found.units(length) - (-length & 15);
  }
  return units;
}

/** The offsets of every ESC and of every CR that no LF follows, in the first `end` bytes. */
export function controlsIn(bytes: Uint8Array, end: number): Int32Array {
  const found = scannerFor(end);
  if (found === null) return controlsInLoop(bytes, end);
  let all: Int32Array = NO_OFFSETS;
  for (let at = 0; at < end; at += RANGE_BYTES) {
    const count = found.controls(load(found, bytes, at, end));
    const offsets = count === 0 ? NO_OFFSETS : found.offsets.slice(0, count);
    if (at > 0) for (let i = 0; i < count; i++) offsets[i] = (offsets[i] as number) + at;
    all = all.length === 0 ? offsets : joined(all, offsets);
  }
  return all;
}

export function countBreaksInLoop(bytes: Uint8Array, start: number, end: number): number {
  let breaks = 0;
  for (let at = start; at < end; at++) {
    const value = bytes[at];
    if (value === LF || (value === CR && (at + 1 === end || bytes[at + 1] !== LF))) breaks++;
  }
  return breaks;
}

export function countUnitsInLoop(bytes: Uint8Array, start: number, end: number): number {
  let units = 0;
  for (let at = start; at < end; at++) {
    const value = bytes[at] as number;
    if ((value & 0xc0) !== 0x80) units += value < 0xf0 ? 1 : 2;
  }
  return units;
}

export function controlsInLoop(bytes: Uint8Array, end: number): Int32Array {
  const offsets: number[] = [];
  for (let at = 0; at < end; at++) {
    const value = bytes[at];
    if (value === ESC || (value === CR && (at + 1 === end || bytes[at + 1] !== LF))) offsets.push(at);
  }
  return offsets.length === 0 ? NO_OFFSETS : Int32Array.from(offsets);
}

function joined(a: Int32Array, b: Int32Array): Int32Array {
  const both = new Int32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function load({ memory }: Scanner, bytes: Uint8Array, at: number, end: number): number {
  const length = Math.min(RANGE_BYTES, end - at);
  memory.set(bytes.subarray(at, at + length));
  if (at + length < end) memory[length] = bytes[at + length] as number;
  else memory.fill(0, length, length + 32);
  return length;
}

function scannerFor(length: number): Scanner | null {
  if (length < SHORT_BYTES) return null;
  if (scanner !== undefined) return scanner;
  looped += length;
  if (looped < LONG_BYTES) return null;
  scanner = makeScanner();
  return scanner;
}

function makeScanner(): Scanner | null {
  try {
    const module = new WebAssembly.Module(Buffer.from(MODULE, 'base64'));
    const { memory, breaks, units, controls } = new WebAssembly.Instance(module).exports;
    const { buffer } = memory;
    const offsets = new Int32Array(buffer, OFFSETS_AT);
    return { memory: new Uint8Array(buffer), breaks, units, controls, offsets };
  } catch {
    // No WebAssembly, or no room for it.
    return null;
  }
}
