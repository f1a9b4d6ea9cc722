// Oddities planted in real documents: one item of a long list differs from all others in one thing.
// Whoever shortens the document should still show it. Also which ids, titles and names of a report
// are shown. The documents are those of the corpora beside the checkout.
import { readFileSync } from 'node:fs';
import { corpusFiles, hasRealLogs } from './real-logs.mjs';

const FOLDERS = ['failures', 'fresh', 'everyday', 'structured/json', 'structured/xml', 'plain'];
const LEAST_CHARS = 12_000;
const LEAST_ITEMS = 8;
const MOST_PER_DOCUMENT = 12;
/** Where in its list the item stands that differs. */
const AT = 0.6;
/** A word that no document has. */
const ODD = 'zarquon';
const ODD_NUMBER = 987_654_321_012;

/** JSON and XML documents: { name, text }. */
export function documents(kind) {
  if (!hasRealLogs) return [];
  return [...new Set(FOLDERS.flatMap(corpusFiles))].flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const isKind = kind === 'json' ? /^\s*[[{]/.test(text) && isJson(text) : /^\s*<\?xml/.test(text);
    return isKind && text.length >= LEAST_CHARS ? [{ name: file.split('/').at(-1), text }] : [];
  });
}

/** Texts with one oddity each: { name, text, odd }. */
export function planted(kind) {
  return documents(kind).flatMap(({ name, text }) => {
    const made = kind === 'json' ? plantedJson(text) : plantedXml(text);
    const step = Math.max(1, made.length / MOST_PER_DOCUMENT);
    const some = Array.from(
      { length: Math.min(made.length, MOST_PER_DOCUMENT) },
      (_, i) => made[Math.floor(i * step)],
    );
    return some.map((each) => ({ name, ...each }));
  });
}

function plantedJson(text) {
  const made = [];
  const root = JSON.parse(text);
  const indent = /^\s*[[{]\n( +)/.exec(text)?.[1].length ?? 0;
  const write = (what, odd) =>
    made.push({ what, odd: String(odd), text: JSON.stringify(root, null, indent) });
  for (const list of listsIn(root)) {
    const item = list[Math.floor(list.length * AT)];
    item[ODD] = true;
    write('a key that no other has', ODD);
    delete item[ODD];
    for (const key of Object.keys(item)) {
      const values = list.map((each) => each[key]);
      const before = item[key];
      const isFew = new Set(values).size <= 4;
      const odd = typeof before === 'number' ? ODD_NUMBER : ODD;
      if (typeof before !== 'number' && !(typeof before === 'string' && isFew)) continue;
      item[key] = odd;
      write(typeof before === 'number' ? 'a number far from all others' : 'a value among few', odd);
      item[key] = before;
    }
  }
  return made;
}

/** Arrays of objects in a value, at any depth. */
function listsIn(value) {
  if (value === null || typeof value !== 'object') return [];
  const inside = Object.values(value).flatMap(listsIn);
  const isList = Array.isArray(value) && value.length >= LEAST_ITEMS && value.every((item) => isObject(item));
  return isList ? [value, ...inside] : inside;
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Elements that stand often in a document: one gets an attribute, a child, or another value. */
function plantedXml(text) {
  const tags = new Map();
  for (const match of text.matchAll(/<([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>/g)) {
    const [whole, name, attributes, slash] = match;
    const all = tags.get(name) ?? [];
    all.push({ at: match.index, whole, name, attributes, slash });
    tags.set(name, all);
  }
  return [...tags.values()]
    .filter((all) => all.length >= LEAST_ITEMS)
    .flatMap((all) => {
      const { at, whole, name, attributes, slash } = all[Math.floor(all.length * AT)];
      const replaced = (tag) => text.slice(0, at) + tag + text.slice(at + whole.length);
      const made = [
        {
          what: 'an attribute that no other has',
          text: replaced(`<${name}${attributes} ${ODD}="1"${slash}>`),
        },
      ];
      if (slash === '')
        made.push({ what: 'a child that no other has', text: replaced(`${whole}<${ODD}>1</${ODD}>`) });
      for (const [pair, key] of attributes.matchAll(/([\w:.-]+)="[^"]*"/g)) {
        const values = new Set(all.map((tag) => new RegExp(`\\s${key}="([^"]*)"`).exec(tag.attributes)?.[1]));
        if (values.size <= 4)
          made.push({ what: 'a value among few', text: replaced(whole.replace(pair, `${key}="${ODD}"`)) });
      }
      return made.map((each) => ({ ...each, odd: ODD }));
    });
}

/** By field: the different ids, titles and names that a report is read for, where there are many. */
export function namesIn(text, least = LEAST_ITEMS) {
  return ['id', 'title', 'name', 'ruleId'].flatMap((key) => {
    const found = text.matchAll(new RegExp(`\\b${key}(?:"\\s*:\\s*|=)"([^"\\\\]{4,80})"`, 'g'));
    const all = new Set([...found].map(([, value]) => value));
    return all.size >= least ? [[key, all]] : [];
  });
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
