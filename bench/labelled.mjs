// Labelled outputs: the corpora's manifests, and whether a text still holds what a reader must see.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CORPORA =
  process.env.SPILLWAY_CORPORA ?? resolve(dirname(fileURLToPath(import.meta.url)), '../../shared/corpora');

export function manifest(name) {
  return readFileSync(join(CORPORA, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map((item) => ({ ...item, text: readFileSync(join(CORPORA, dirname(name), item.file), 'utf8') }));
}

const ESCAPE = new RegExp(
  [
    `\\u001b\\[[0-?]*[ -/]*[@-~]`,
    `\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)`,
    `\\u001b[@-Z\\\\-_]`,
  ].join('|'),
  'g',
);

/** Whether every gold string is in the text; colours and carriage returns are no difference. */
export function keepsAll(text, gold) {
  const plain = withoutFormatting(text);
  return gold.every((one) => plain.includes(withoutFormatting(one)));
}

function withoutFormatting(text) {
  return text.replace(ESCAPE, '').replace(/\r\n?/g, '\n');
}

/** Whether no cut by position keeps all gold within the budget. */
export function isHard({ text, gold }, budget) {
  const cuts = [0.6, 0.5, 0.2].map(
    (ratio) => text.slice(0, budget * ratio) + text.slice(-budget * (1 - ratio)),
  );
  return [...cuts, text.slice(0, budget), text.slice(-budget)].every((cut) => !keepsAll(cut, gold));
}

/** Whether a text is JSON, NDJSON, XML or HTML from its first char on. */
export function isDocument(text) {
  return /^\s*(?:\{|\[\s*[[{"]|<[?!a-z])/i.test(text);
}
