// Loaded by the replay's worker where SPILLWAY_BENCH_WITHOUT_ENOUGH is set: the default then goes on
// until its room is full, as it did before projections ended where enough is shown.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const CHANGES = {
  '/dist/strategies/summary.js': [
    'const enough = parts.isRead ? undefined : enoughFor(ranks, scores, isQuiet);',
    'const enough = undefined;',
  ],
  '/dist/strategies/outline/plan.js': ['return Math.min(room, 1_600 + 0.35 * room);', 'return room;'],
};

registerHooks({
  load(url, context, next) {
    const [, [from, to] = []] = Object.entries(CHANGES).find(([file]) => url.endsWith(file)) ?? [];
    if (from === undefined) return next(url, context);
    const source = readFileSync(new URL(url), 'utf8');
    if (source.split(from).length !== 2) throw new Error(`${url} no longer holds: ${from}`);
    return { format: 'module', source: source.replace(from, to), shortCircuit: true };
  },
});
