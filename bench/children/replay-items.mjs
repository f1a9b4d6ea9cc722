// Loaded before the corpora's replay.mjs: writes one JSON line for each output and budget that it
// scores into the file SPILLWAY_REPLAY_ITEMS, because the tables of the replay name no outputs. The
// source of the replay is completed as it is loaded.
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isDocument } from '../labelled.mjs';

const SCORED = 'const ks = o.facts.map((f) => kept(p, f));';

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/sessions/replay.mjs')) return next(url, context);
    const source = readFileSync(new URL(url), 'utf8');
    if (source.split(SCORED).length !== 2) throw new Error(`${url} no longer holds: ${SCORED}`);
    const noted = `${SCORED} if (m.cmd) noteItem(s, o, bud, p, ks, o.edits.map((f) => kept(p, f)));`;
    return { format: 'module', source: source.replace(SCORED, noted), shortCircuit: true };
  },
});

const items = [];
process.on('exit', () => writeFileSync(process.env.SPILLWAY_REPLAY_ITEMS, items.join('')));

globalThis.noteItem = (session, { i, kind, facts, edits }, budget, shown, keptFacts, keptEdits) => {
  const { id, source, steps } = session;
  const item = {
    id: `${id}#${i}`,
    source,
    kind,
    budget,
    document: isDocument(steps[i].output),
    chars: shown.length,
    facts: facts.length,
    lostFacts: facts.filter((_, x) => !keptFacts[x]).map(({ tok }) => tok),
    edits: edits.length,
    lostEdits: edits.filter((_, x) => !keptEdits[x]).map(({ lines }) => lines.join('\n')),
  };
  items.push(`${JSON.stringify(item)}\n`);
};
