// What becomes of a long JSON document, how long does it take, and is the one odd item still there?
import { CrushJSON } from '@memberjunction/context-crush';
import { encode } from '@toon-format/toon';
import { memoryStore, Spillway } from '../core.mjs';
import { chefInMemory } from '../peers/context-chef.mjs';
import { piHead } from '../peers/pi.mjs';
import { documents, namesIn, planted } from '../planted.mjs';
import { inTurns } from '../repeat.mjs';
import { digits, spread, times, whole, yesNo } from '../report.mjs';

export const question = 'What becomes of a long JSON document within 8,000 chars?';

export const notes = [
  'An array of objects, one of which in the middle differs (a status that no other has). Asked of everybody: at most 8,000 chars.',
  'Spillway also encodes, measures, hashes and stores every byte, and reads the text once without building its values.',
  'TOON has no bound: it writes the same data more shortly. context-crush takes values, so parsing belongs to its time.',
  'The limit is JSON.parse and JSON.stringify of the same text.',
  'Real documents: the corpora beside the checkout, with one thing in one item of a list that no other item has; and how many of the names that a report is read for are shown. SPILLWAY_BENCH_OF=DIR asks the same of another built checkout.',
];

const LIMIT = 8_000;
const PARSE = 'limit: JSON.parse and JSON.stringify';

export async function run({ smoke }) {
  const tables = [];
  for (const items of smoke ? [2_000] : [8_000, 80_000]) {
    const { text, odd } = documentOf(items);
    const contenders = makers().map(({ name, make }) => ({ name, prepare: make, run: (cut) => cut(text) }));
    const measured = await inTurns(contenders, { rounds: smoke ? 2 : 7, warmUp: 1, tidy: !smoke });
    tables.push(tableOf(`${whole(text.length)} chars, ${whole(items)} items`, measured, text, odd));
  }
  return smoke ? tables : [...tables, await oddities(), await names()];
}

async function shown(text, inlineLimit) {
  const spillway = new Spillway({ store: memoryStore() });
  const call = { tool: 'api', session: 'bench', scope: 'bench' };
  const { projection } = await spillway.process(call, { kind: 'text', text }, { policy: { inlineLimit } });
  await spillway.close();
  return projection.text;
}

async function oddities() {
  const rows = [];
  for (const kind of ['json', 'xml']) {
    const all = planted(kind);
    for (const limit of [4_000, 8_000]) {
      let kept = 0;
      for (const { text, odd } of all) if ((await shown(text, limit)).includes(odd)) kept++;
      rows.push({ name: kind, limit, planted: all.length, kept });
    }
  }
  return {
    title: 'one odd thing in a real document',
    columns: [
      ['', 'name'],
      ['within', 'limit', whole],
      ['planted', 'planted', whole],
      ['shown', 'kept', whole],
    ],
    rows,
  };
}

async function names() {
  const rows = [];
  for (const { name, text } of [...documents('json'), ...documents('xml')])
    for (const [key, all] of namesIn(text)) {
      const kept = new Map(namesIn(await shown(text, LIMIT), 1)).get(key) ?? new Set();
      rows.push({ name, key, all: all.size, kept: [...kept].filter((one) => all.has(one)).length });
    }
  return {
    title: `names in a report, within ${whole(LIMIT)} chars`,
    columns: [
      ['', 'name'],
      ['field', 'key'],
      ['different', 'all', whole],
      ['shown', 'kept', whole],
    ],
    rows,
  };
}

function documentOf(items) {
  const at = Math.floor(items * 0.6);
  const list = Array.from({ length: items }, (_, i) => ({
    id: i,
    name: `order ${i}`,
    price: 20 + (i % 17),
    status: i === at ? 'exploded' : i % 3 === 0 ? 'open' : 'closed',
    owner: { team: `team ${i % 9}`, mail: `owner${i % 40}@example.org` },
  }));
  return { text: JSON.stringify({ page: 1, orders: list }), odd: 'exploded' };
}

function makers() {
  return [
    {
      name: 'spillway element',
      make: () => {
        const spillway = new Spillway({ store: memoryStore() });
        return async (text) => {
          const call = { tool: 'api', session: 'bench', scope: 'bench' };
          const { projection } = await spillway.process(call, { kind: 'text', text });
          return projection.text;
        };
      },
    },
    {
      name: 'context-crush CrushJSON',
      make: () => (text) => CrushJSON(JSON.parse(text), { MaxChars: LIMIT }).Text,
    },
    { name: 'TOON encode', make: () => (text) => encode(JSON.parse(text)) },
    { name: 'context-chef Offloader, in memory', make: () => chefInMemory(LIMIT) },
    { name: 'pi truncateHead', make: () => (text) => piHead(text, LIMIT) },
    { name: PARSE, make: () => (text) => JSON.stringify(JSON.parse(text)) },
  ];
}

function tableOf(title, measured, text, odd) {
  const limit = measured.find(({ name }) => name === PARSE).ms.median;
  return {
    title,
    columns: [
      ['', 'name'],
      ['ms (min–max)', 'ms', spread],
      ['time ÷ parse and write', 'ofLimit', times],
      ['MB/s', 'rate', digits],
      ['chars out', 'chars', whole],
      ['within 8,000', 'within', yesNo],
      ['valid JSON', 'valid', yesNo],
      ['odd item kept', 'kept', yesNo],
    ],
    rows: measured.map(({ name, ms, result }) => ({
      name,
      ms,
      ofLimit: ms.median / limit,
      rate: text.length / 1_000 / ms.median,
      chars: result.length,
      within: result.length <= LIMIT,
      valid: isJson(result),
      kept: result.includes(odd),
    })),
  };
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
