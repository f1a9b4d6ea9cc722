/**
 * Counts line ends and UTF-16 units in bytes. Long runs go through a few hundred bytes of
 * WebAssembly, sixteen bytes at a time: `byte-counts.wat` is its text, `wat2wasm` made `MODULE` of
 * it. A loop does the same where they are short, or where there is no WebAssembly. The module is
 * loaded with the first long run: a loop that is not optimised yet takes longer for that one.
 */

/** Runs of so many bytes load the module; shorter ones use it once it is there. */
const LONG_BYTES = 8_192;
const SHORT_BYTES = 256;
/** A multiple of sixteen: see the module. */
const STRETCH_BYTES = 65_536;
const LF = 10;
const CR = 13;

const MODULE = [
  'AGFzbQEAAAABCwJgAX8Bf2ABewF/AwQDAAABBQMBAAIHGwMGbWVtb3J5AgAGYnJlYWtzAAAFdW5pdHMAAQqqAgOH',
  'AQIDfwJ7AkADQCABIABPDQEgAUHwH2ohAiACIABLBEAgACECC/0MAAAAAAAAAAAAAAAAAAAAACEFA0AgAf0ABAAh',
  'BCAFIARBCv0P/SMgBEEN/Q/9IyAB/QAEAUEK/Q/9I/1P/VD9cSEFIAFBEGohASABIAJJDQALIAMgBRACaiEDDAAL',
  'CyADC3sCA38CewJAA0AgASAATw0BIAFB8A9qIQIgAiAASwRAIAAhAgv9DAAAAAAAAAAAAAAAAAAAAAAhBQNAIAH9',
  'AAQAIQQgBSAEQb9//Q/9J/1xIARB8AH9D/0s/XEhBSABQRBqIQEgASACSQ0ACyADIAUQAmohAwwACwsgAwsjAQF7',
  'IAD9ff1/IQEgAf0bACAB/RsBaiAB/RsCIAH9GwNqags=',
].join('');

/** As much of it as is used here: the types of Node leave it to browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
};

interface Exports extends Pick<Counter, 'breaks' | 'units'> {
  readonly memory: { readonly buffer: ArrayBuffer };
}

interface Counter {
  readonly memory: Uint8Array;
  readonly breaks: (length: number) => number;
  readonly units: (length: number) => number;
}

/** Null where there is none to be had. */
let counter: Counter | null | undefined;

/** Line ends (LF, CRLF and CR). A CR that `end` separates from its LF counts. */
export function countBreaks(bytes: Uint8Array, start: number, end: number): number {
  const found = counterFor(end - start);
  if (found === null) return countBreaksInLoop(bytes, start, end);
  let breaks = 0;
  for (let at = start; at < end; at += STRETCH_BYTES) breaks += found.breaks(load(found, bytes, at, end));
  return breaks;
}

/** UTF-16 units of well-formed text: one a character, two where it has four bytes. */
export function countUnits(bytes: Uint8Array, start: number, end: number): number {
  const found = counterFor(end - start);
  if (found === null) return countUnitsInLoop(bytes, start, end);
  let units = 0;
  for (let at = start; at < end; at += STRETCH_BYTES) {
    const length = load(found, bytes, at, end);
    // The zeros behind the text count as characters.
    units += found.units(length) - (-length & 15);
  }
  return units;
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

/** Copies a stretch into the memory of the module, with what it wants behind it; how long it is. */
function load({ memory }: Counter, bytes: Uint8Array, at: number, end: number): number {
  const length = Math.min(STRETCH_BYTES, end - at);
  memory.set(bytes.subarray(at, at + length));
  if (at + length < end) memory[length] = bytes[at + length] as number;
  else memory.fill(0, length, length + 32);
  return length;
}

function counterFor(length: number): Counter | null {
  if (length < SHORT_BYTES) return null;
  if (counter === undefined && length >= LONG_BYTES) counter = makeCounter();
  return counter ?? null;
}

function makeCounter(): Counter | null {
  try {
    const module = new WebAssembly.Module(Buffer.from(MODULE, 'base64'));
    const { memory, breaks, units } = new WebAssembly.Instance(module).exports;
    return { memory: new Uint8Array(memory.buffer), breaks, units };
  } catch {
    // Node was started without WebAssembly, or without room for it.
    return null;
  }
}
