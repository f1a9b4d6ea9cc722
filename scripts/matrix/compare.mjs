// Compares what a client gets from a server directly with what it gets through the gateway: the
// tools, a small result (identical), a large one (cut, and exact when it is fetched).
import { isDeepStrictEqual } from 'node:util';

const MOST_CHARS = 8_000;

/** What a client sees of a server: everything that is compared. */
export async function look(session, { small, large }) {
  return {
    tools: await session.list(),
    small: await outcome(session.call(...small)),
    large: large === undefined ? null : await session.call(...large),
  };
}

/** Some clients throw where a tool says that it failed: what they throw is compared. */
function outcome(called) {
  return called.catch((error) => ({ thrown: error.message }));
}

/** The same through the gateway, with what was cut fetched page by page. */
export async function lookThrough(session, server) {
  const seen = await look(session, server);
  const id = /art_\d+_\w+/.exec(JSON.stringify(seen.large))?.[0];
  return { ...seen, fetched: id === undefined ? null : await fetchAll(session, id) };
}

async function fetchAll(session, id) {
  let text = '';
  for (let args = {}; args !== null; ) {
    const page = textsOf(await session.call('get_artifact', { artifact_id: id, ...args })).join('\n');
    const [, header, body] = /^\[(art_[^\n]*)\]\n([\s\S]*)$/.exec(page) ?? [];
    if (header === undefined) throw new Error('a page of get_artifact has no header');
    text += body;
    const cursor = /cursor="([^"]+)"/.exec(header)?.[1];
    args = cursor === undefined ? null : { cursor };
  }
  return text;
}

/**
 * What does not hold, one sentence each. `reference` is what the server itself says in its large
 * result: some clients show a model something else.
 */
export function differences(direct, through, { reference, mask }) {
  const found = [];
  const ours = through.tools.filter(({ name }) => name === 'get_artifact');
  if (ours.length !== 1) found.push(`get_artifact is listed ${ours.length} times`);
  const theirs = through.tools.filter(({ name }) => name !== 'get_artifact');
  for (const path of differing(direct.tools.map(withoutSchema), theirs.map(withoutSchema)))
    found.push(`the lists of tools differ at ${path}`);
  const masked = (value) =>
    mask === undefined ? value : JSON.parse(JSON.stringify(value).replace(mask, '0'));
  for (const path of differing(masked(direct.small), masked(through.small)))
    found.push(`the small results differ at ${path}`);
  if (reference !== null) found.push(...largeDifferences(reference, through));
  return found;
}

function largeDifferences(reference, { large, fetched }) {
  const texts = textsOf(reference).join('');
  const structured = JSON.stringify(reference.structuredContent) ?? '';
  if (texts.length + structured.length <= MOST_CHARS) return ['the large result is not large'];
  if (fetched === null) return ['the large result names no artifact'];
  const found = [];
  const shown = textsOf(large).join('').length;
  if (shown > MOST_CHARS) found.push(`${shown} chars of the large result are shown`);
  // Data that only repeats the text is not stored twice.
  if (fetched !== texts && fetched !== texts + structured)
    found.push('the large result does not come back as it was');
  return found;
}

/** The texts of a result, however a client wraps its content. */
function textsOf(result) {
  const content = Array.isArray(result) ? result : (result?.content ?? result);
  if (typeof content === 'string') return [content];
  return (content ?? []).filter(({ type }) => type === 'text').map(({ text }) => text);
}

/** Schemas of results are left out of the list: what they promise does not hold for what is cut. */
function withoutSchema({ outputSchema: _left, ...tool }) {
  return tool;
}

/** The first places at which two values differ. */
function differing(a, b, path = '$') {
  if (isDeepStrictEqual(a, b)) return [];
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return [path];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.flatMap((key) => differing(a[key], b[key], `${path}.${key}`)).slice(0, 3);
}
