// Scores the default on labelled outputs, with one constant of the summary changed or none (null),
// and prints one JSON line for each output and budget. Started by questions/folds.mjs and
// scripts/scores.mjs: `node score-variant.mjs '{ "change", "manifests", "budgets", "every" }'`.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isDocument, isHard, keepsAll, manifest } from '../labelled.mjs';

const { change, manifests, budgets, every } = JSON.parse(process.argv[2]);
let changed = change === null;

registerHooks({
  load(url, context, next) {
    if (change === null || !url.endsWith(`/dist/strategies/failures/${change.file}`))
      return next(url, context);
    const source = readFileSync(new URL(url), 'utf8');
    if (source.split(change.from).length !== 2)
      throw new Error(`${change.file} does not hold ${change.from}`);
    changed = true;
    return { format: 'module', source: source.replace(change.from, change.to), shortCircuit: true };
  },
});

const { memoryStore, Spillway } = await import('../core.mjs');

for (const name of manifests)
  for (const [i, item] of manifest(name).entries())
    for (const budget of i % every === 0 ? budgets : []) {
      const shown = await projected(item.text, budget);
      const over = shown.length > budget;
      const lost = item.gold.filter((one) => over || !keepsAll(shown, [one]));
      const { id, source, text } = item;
      const traits = { hard: isHard(item, budget), document: isDocument(text) };
      const measured = { kept: lost.length === 0, lost, over, chars: shown.length };
      console.log(JSON.stringify({ manifest: name, id, source, budget, ...traits, ...measured }));
    }
if (!changed) throw new Error(`${change.file} was not loaded`);

async function projected(text, inlineLimit) {
  const spillway = new Spillway({ store: memoryStore() });
  const call = { tool: 'run', session: 'bench', scope: 'bench' };
  return (await spillway.process(call, { kind: 'text', text }, { policy: { inlineLimit } })).projection.text;
}
