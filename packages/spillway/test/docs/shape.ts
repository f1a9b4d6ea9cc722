/**
 * The shape of JSON values: which members they have and of which types, over all samples that were
 * seen. It is written in the notation of TypeScript; a member that some samples lack gets a `?`.
 */
type Scalar = 'string' | 'number' | 'boolean' | 'null';

export interface Shape {
  readonly scalars: Set<Scalar>;
  /** Members with the number of objects that had them. */
  readonly members: Map<string, { readonly shape: Shape; seen: number }>;
  objects: number;
  items: Shape | null;
}

/** Objects whose keys are data, such as names of settings. */
const RECORDS = new Set(['settings', 'by', 'values']);
const WIDEST = 96;

export function emptyShape(): Shape {
  return { scalars: new Set(), members: new Map(), objects: 0, items: null };
}

/** Adds one sample to a shape. */
export function addSample(shape: Shape, value: unknown, name = ''): void {
  if (Array.isArray(value)) {
    shape.items ??= emptyShape();
    for (const item of value) addSample(shape.items, item);
  } else if (typeof value === 'object' && value !== null) {
    shape.objects++;
    for (const [key, member] of Object.entries(value)) {
      const known = RECORDS.has(name) ? '[name: string]' : key;
      const entry = shape.members.get(known) ?? { shape: emptyShape(), seen: 0 };
      entry.seen++;
      shape.members.set(known, entry);
      addSample(entry.shape, member, key);
    }
  } else shape.scalars.add(value === null ? 'null' : (typeof value as Scalar));
}

/** A shape as text; objects that do not fit a line are written over several. */
export function shapeText(shape: Shape, indent = ''): string {
  const scalars = ['string', 'number', 'boolean', 'null'].filter((one) => shape.scalars.has(one as Scalar));
  const isNull = scalars.at(-1) === 'null' ? [scalars.pop() ?? ''] : [];
  const kinds = [
    ...scalars,
    ...(shape.items === null ? [] : [itemsText(shape.items, indent)]),
    ...(shape.objects === 0 ? [] : [objectText(shape, indent)]),
    ...isNull,
  ];
  return kinds.length === 0 ? 'never' : kinds.join(' | ');
}

function itemsText(items: Shape, indent: string): string {
  const text = shapeText(items, indent);
  return text === 'never'
    ? '[]'
    : text.includes(' | ') && !text.startsWith('{')
      ? `(${text})[]`
      : `${text}[]`;
}

function objectText({ members, objects }: Shape, indent: string): string {
  const inner = `${indent}  `;
  const lines = [...members].map(([key, { shape, seen }]) => {
    const isOptional = seen < objects && !key.startsWith('[');
    return `${key}${isOptional ? '?' : ''}: ${shapeText(shape, inner)}`;
  });
  const inline = `{ ${lines.join('; ')} }`;
  if (lines.length === 0) return '{}';
  if (indent.length + inline.length <= WIDEST && !inline.includes('\n')) return inline;
  return `{\n${lines.map((line) => `${inner}${line};\n`).join('')}${indent}}`;
}
