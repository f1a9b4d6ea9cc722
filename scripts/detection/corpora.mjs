// The corpora of real outputs, where they are. Labels are those of the manifests. Each text is {
// kind, bytes, complete, from }.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parsedKind, readStart, root } from './reading.mjs';

const corpora = resolve(process.env.SPILLWAY_CORPORA ?? join(root, '../shared/corpora'));
/** The manifests' own words for a kind; several kinds may be right. */
const PLAIN = {
  'passing CI log': 'logs',
  'prose, non-Latin script': 'prose',
  'git diff': 'diff',
  'file listing': 'listing',
  'code search': 'hits',
};

export function corporaTexts() {
  if (!existsSync(corpora)) {
    console.warn(`Real outputs not found at ${corpora}: the table is made without them.`);
    return [];
  }
  const read = (name) =>
    readFileSync(join(corpora, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const text = (item, kind) => ({ ...readStart(join(corpora, item.file)), kind, from: item.id });
  return [
    ...read('structured').flatMap((item) =>
      typeof item.valid !== 'boolean' && item.kind === 'json-validity'
        ? []
        : [text(item, structuredLabel(item))],
    ),
    ...read('plain').flatMap((item) =>
      PLAIN[item.kind] === undefined ? [] : [text(item, PLAIN[item.kind])],
    ),
    ...read('failures').map((item) => text(item, failureLabel(item))),
  ];
}

function structuredLabel(item) {
  if (item.kind !== 'json-validity') return item.kind;
  return parsedKind(join(corpora, item.file)) === 'json' ? 'json' : 'not json';
}

function failureLabel(item) {
  const path = join(corpora, item.file);
  if (item.file.endsWith('.xml') || readFileSync(path, 'utf8').slice(0, 10).includes('<?xml')) return 'xml';
  return parsedKind(path) ?? 'logs';
}
