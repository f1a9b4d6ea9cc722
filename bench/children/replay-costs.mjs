// Loaded before the corpora's replay.mjs: writes one JSON line for each session, budget and method into
// the file SPILLWAY_REPLAY_ITEMS: chars shown once and on every later turn, and for each output of
// which the agent used something that was not shown its size and the turns that are left.
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const SCORED = 'const ks = o.facts.map((f) => kept(p, f));';
const SAVED = 'savings.push(row);';

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/sessions/replay.mjs')) return next(url, context);
    const source = readFileSync(new URL(url), 'utf8');
    for (const part of [SCORED, SAVED])
      if (source.split(part).length !== 2) throw new Error(`${url} no longer holds: ${part}`);
    const noted = source
      .replace(SCORED, `${SCORED} if (ks.includes(false)) noteLoss(s, o, bud, m.name);`)
      .replace(SAVED, `${SAVED} noteSession(row);`);
    return { format: 'module', source: noted, shortCircuit: true };
  },
});

const lost = new Map();
const lines = [];
process.on('exit', () => writeFileSync(process.env.SPILLWAY_REPLAY_ITEMS, lines.join('')));

const key = (session, budget, method) => `${session} ${budget} ${method}`;

globalThis.noteLoss = ({ id, steps }, { len, facts }, budget, method) => {
  const turns = Math.max(...steps.map(({ turn }) => turn)) + 1;
  const firstUse = Math.min(...facts.map(({ at }) => steps[at].turn));
  const name = key(id, budget, method);
  lost.set(name, [...(lost.get(name) ?? []), { chars: len, turnsLeft: Math.max(1, turns - firstUse) }]);
};

globalThis.noteSession = ({ sid, source, bud, whole, wholeR, m }) => {
  for (const [method, [once, resent]] of Object.entries(m)) {
    const row = { session: sid, source, budget: bud, method, whole, wholeResent: wholeR, once, resent };
    lines.push(`${JSON.stringify({ ...row, lost: lost.get(key(sid, bud, method)) ?? [] })}\n`);
  }
};
