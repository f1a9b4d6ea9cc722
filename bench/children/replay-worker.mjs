// Projects what replay-preload.mjs hands over, one at a time.
import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { RULES } from '../rules.mjs';

if (process.env.SPILLWAY_BENCH_WITHOUT_ENOUGH === '1') await import('./without-enough.mjs');
const { Spillway } = await import('../core.mjs');

const { port, flag } = workerData;

port.on('message', async ({ id, line, input }) => {
  try {
    port.postMessage({ id, text: await projected(line, input) });
  } catch (error) {
    port.postMessage({ id, error: String(error) });
  }
  Atomics.store(flag, 0, id);
  Atomics.notify(flag, 0);
});

async function projected(line, text) {
  const [, method, budget, kind, quoted] = /^project (\S+) (\d+) (\S+) (.*)$/.exec(line);
  const inlineLimit = Number(budget);
  // Peers are loaded where they are asked: the smoke run does without them.
  if (method === 'context-chef')
    return (await import('../peers/context-chef.mjs')).chefWithNotice(inlineLimit)(text).text;
  if (method === 'pi') return (await import('../peers/pi.mjs')).piTail(text, inlineLimit);
  if (RULES[method] !== undefined) return RULES[method](text, inlineLimit, kind);
  const {
    tool,
    input,
    about = {},
  } = quoted === "''" ? {} : JSON.parse(readFileSync(quoted.slice(1, -1), 'utf8'));
  const spillway = new Spillway({ store: null });
  const call = {
    tool: tool ?? 'tool',
    session: 'bench',
    scope: 'bench',
    ...(input == null ? {} : { input }),
  };
  const { task, user_message: userMessage, last_message: lastMessage } = about;
  const policy = { inlineLimit, ...(method === 'default' ? {} : { strategy: method }) };
  const options = { policy, about: { task, userMessage, lastMessage } };
  return (await spillway.process(call, { kind: 'text', text }, options)).projection.text;
}
