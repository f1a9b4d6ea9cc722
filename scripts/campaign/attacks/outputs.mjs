// Hostile output through the library: every strategy and dialect under random limits. A projection
// must be within its limit, well-formed and with a handle, and every byte must come back.
import { join } from 'node:path';
import { Spillway } from '@spillway/core';
import { between } from '../content.mjs';
import { storeOf } from '../stores.mjs';
import { hostileText, pick } from './shapes.mjs';

const STRATEGIES = ['head', 'tail', 'head_tail', 'lines', 'element', 'smart_summary', 'size_limit'];
const SCOPE = 'attacks';
/** The default page and its header. */
const PAGE_LIMIT = 16_500;

export async function hostileOutputs({ folder, smoke, store, random, check, tell }) {
  const rounds = smoke ? 40 : 3_000;
  const { open } = await storeOf(store, join(folder, `hostile-outputs-${store}`));
  const spillway = new Spillway({ store: open() });
  let [cut, fellBack, retrievals] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    // Most are small, so that many shapes are seen; some are large, so that growth would be.
    const chars = between(random, 0, 19) === 0 ? (smoke ? 100_000 : 1_000_000) : between(random, 300, 30_000);
    const text = hostileText(random, chars);
    const inlineLimit = between(random, 300, 9_000);
    const policy = {
      strategy: pick(random, STRATEGIES),
      dialect: pick(random, ['standard', 'standard', 'spill', 'plain']),
      clean: pick(random, ['when_cut', 'always', 'never']),
      inlineLimit,
    };
    const what = `round ${round}, ${JSON.stringify(policy)}`;
    try {
      const tool = pick(random, ['execute_command', 'read_file', 'search_files', 'x']);
      const call = { tool, session: 's', scope: SCOPE };
      const result = resultOf(random, text);
      const { projection } = await spillway.process(call, result, { policy });
      check(projection.text.length <= inlineLimit || projection.text === text, `${what}: over the limit`);
      check(projection.text.isWellFormed(), `${what}: half a character`);
      const { was_truncated: truncated, artifact_id: id } = projection.metadata;
      if (truncated) {
        cut += 1;
        check(typeof id === 'string' && id !== '', `${what}: cut without a handle`);
      }
      if (projection.metadata.strategy_error !== undefined) fellBack += 1;
      const { id: stored } = await spillway.sealed({ projection });
      if (result.kind === 'text' && round % 5 === 0) {
        const back = await everyPage(spillway, stored);
        check(back === text.toWellFormed(), `${what}: pages give something else`);
        retrievals += 1;
      }
      retrievals += await oddRetrievals(spillway, stored, random, check, what);
    } catch (error) {
      check(false, `${what}: ${error.name} ${error.code ?? ''}`);
    }
    if (round > 0 && round % 500 === 0) tell(`${round} hostile outputs`);
  }
  await spillway.close();
  return {
    rounds,
    numbers: [
      `${rounds} hostile outputs, ${cut} cut, ${fellBack} by the plain fallback, ${retrievals} retrievals`,
    ],
  };
}

function resultOf(random, text) {
  if (between(random, 0, 3) > 0) return { kind: 'text', text };
  const at = between(random, 0, text.length);
  return { kind: 'exec', stdout: text.slice(0, at), stderr: text.slice(at), exitCode: between(random, 0, 2) };
}

/** Follows the cursors from the first page to the last. */
async function everyPage(spillway, id) {
  let text = '';
  for (let cursor; cursor !== null; ) {
    const page = await spillway.retrieve({ artifact_id: id, ...(cursor && { cursor }) }, SCOPE);
    text += page.body;
    cursor = page.nextCursor;
  }
  return text;
}

const ODD = [
  '',
  '0',
  '-1',
  '1-',
  '-5-2',
  '9-1',
  '1e9',
  '99999999999999999999',
  '../..',
  '$..*',
  '$[?@.a]',
  '//a',
  '(a+)+$',
  'x',
  `${' '.repeat(9_000)}x`,
  `1${' '.repeat(9_000)}-x`,
  `${'1'.repeat(9_000)}x`,
  `$${'[?@.a'.repeat(150)}`,
];

/** Requests that a confused or hostile model makes: answered within a page, or refused by name. */
async function oddRetrievals(spillway, id, random, check, what) {
  const ways = ['lines', 'chars', 'rows', 'json_path', 'xml_path', 'file', 'cursor', 'part', 'start_line'];
  const way = pick(random, ways);
  const args = { artifact_id: id, [way]: pick(random, ODD) };
  try {
    const { text } = await spillway.retrieve(args, SCOPE);
    check(text.length <= PAGE_LIMIT, `${what}: a page of ${text.length} chars for ${way}`);
  } catch (error) {
    check(error.name === 'SpillwayError', `${what}: ${error.name} for ${way}`);
  }
  const elsewhere = await spillway.retrieve({ artifact_id: id }, 'elsewhere').catch((error) => error);
  check(elsewhere.status === 404, `${what}: another scope got an answer`);
  return 2;
}
