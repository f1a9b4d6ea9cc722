// What the scorer of the everyday outputs (corpora, everyday/score.mjs --module) asks for.
import { memoryStore, Spillway } from '../core.mjs';

export async function project(text, inlineLimit, { tool, call: input, exit_code: exitCode }) {
  const spillway = new Spillway({ store: memoryStore() });
  const call = { tool, input, session: 'bench', scope: 'bench' };
  const outcome = { status: exitCode === 0 ? 'ok' : 'error', exitCode };
  const options = { policy: { inlineLimit }, outcome };
  return (await spillway.process(call, { kind: 'text', text }, options)).projection.text;
}
