// Changes JSON in small hostile ways: other types, paths, odd numbers, things that hold each other,
// nesting without end.

/** Numbers from a seed (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const PLANTED: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  '../../x',
  '__proto__',
  '\ud800',
  'art_1_aaaa',
  [],
  [[]],
  {},
  { toString: 1 },
  { length: 5 },
  { type: 'text' },
];

function deep(levels: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

type Slot = readonly [holder: Record<string, unknown>, key: string];

/** Every place in a value. */
function slotsOf(value: unknown): Slot[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [[holder, key] as const, ...slotsOf(holder[key])]);
}

/** One line of JSON with one thing in it changed. */
export function withMutation(line: string, pick: (below: number) => number): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Cut before.
    return line;
  }
  const slots = slotsOf(value);
  const slot = slots[pick(Math.max(1, slots.length))];
  if (slot === undefined) return line;
  const [holder, key] = slot;
  const way = pick(10);
  if (way === 0) delete holder[key];
  else if (way === 1) holder[key] = deep(20_000);
  else if (way === 2) holder[key] = slots[pick(slots.length)]?.[0];
  else holder[key] = PLANTED[pick(PLANTED.length)];
  try {
    return JSON.stringify(value);
  } catch {
    // It holds itself, or is too deep to be written.
    return line;
  }
}
