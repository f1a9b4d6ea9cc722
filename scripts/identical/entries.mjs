// One case of identical.mjs on one text: how it goes in, and everything that comes out, as a string.

const SCOPE = 'identical';
/** Bytes of pieces, in turn: within chars, within lines, across both. */
const PIECES = [1, 3, 7, 64, 5, 1_021, 2, 4_093, 16_381];

/** The projection with its metadata, and the pages. Handles count as equal: they follow from ids. */
export async function outcomeOf({ core, plugin }, name, content, how) {
  const { Spillway, memoryStore } = core;
  let drawn = 0;
  const random = (count) => Uint8Array.from({ length: count }, () => drawn++ & 255);
  const patterns = { compile: (pattern) => ({ find: (text) => text.search(new RegExp(pattern)) }) };
  const clock = () => 1_700_000_000_000;
  const spillway = new Spillway({ store: memoryStore(), clock, random, patterns });
  const out = [];
  try {
    if (how.baseline)
      await project(spillway, plugin, name, content.subarray(content.length / 3), { ...how, exitCode: 0 });
    const { projection } = await project(spillway, plugin, name, content, how);
    out.push(projection);
    const { id } = how.pages === undefined ? {} : await spillway.sealed({ projection });
    for (const args of how.pages ?? []) out.push(await page(spillway, { artifact_id: id, ...args }));
  } catch (error) {
    out.push(`${error.code}: ${error.message}`);
  }
  await spillway.close();
  const { policy_hash: _, ...metadata } = out[0].metadata ?? {};
  return JSON.stringify([{ ...out[0], metadata }, ...out.slice(1)], null, 1).replaceAll(
    /art_\d+_\w{16}/g,
    'art_0',
  );
}

async function page(spillway, args) {
  try {
    return await spillway.retrieve(args, SCOPE);
  } catch (error) {
    return `${error.code}: ${error.message}`;
  }
}

async function project(
  spillway,
  { PROFILES },
  name,
  content,
  { entry, call, policy, profile, exitCode, about },
) {
  const input = call.input === 'path' ? { path: name } : call.input;
  const outcome = { status: exitCode ? 'error' : 'ok', ...(exitCode === undefined ? {} : { exitCode }) };
  const asked = {
    policy: { ...(profile === undefined ? {} : PROFILES[profile]), ...policy },
    ...(about === undefined ? {} : { about }),
  };
  const from = { tool: call.tool, session: SCOPE, scope: SCOPE, ...(input === undefined ? {} : { input }) };
  if (entry === 'streams') return written(spillway, from, content, asked, outcome);
  const result = ENTRIES[entry](content, exitCode);
  return spillway.process(from, result, exitCode === undefined ? asked : { ...asked, outcome });
}

/** Two streams that are written in turn, in odd pieces. */
async function written(spillway, call, content, options, outcome) {
  const capture = await spillway.open(call, options);
  const parts = ['stdout', 'stderr'].map((name) => capture.part({ name, labelled: true }));
  for (const { stream, bytes } of runsOf(content))
    for (const piece of piecesOf(bytes)) await parts[stream].write(piece);
  return capture.finish({ outcome, complete: true });
}

const ENTRIES = {
  bytes: (text) => ({ kind: 'text', text }),
  string: (content) => ({ kind: 'text', text: content.toString() }),
  chunks: (content) => ({ kind: 'text', text: piecesOf(content) }),
  exec: (content, exitCode = 0) => {
    const [stdout, stderr] = [0, 1].map((wanted) =>
      Buffer.concat(runsOf(content).flatMap(({ stream, bytes }) => (stream === wanted ? [bytes] : []))),
    );
    return { kind: 'exec', stdout, stderr, exitCode };
  },
  blocks: (content) => {
    const text = content.toString();
    const cuts = [0, 0.2, 0.7, 1].map((share) => Math.floor(share * text.length));
    const blocks = cuts.slice(1).map((end, i) => ({ type: 'text', text: text.slice(cuts[i], end) }));
    return { kind: 'blocks', blocks };
  },
  value: (content) => ({ kind: 'value', value: { name: 'value', lines: content.toString().split('\n') } }),
};

function* piecesOf(bytes) {
  for (let at = 0, i = 0; at < bytes.length; at += PIECES[i++ % PIECES.length])
    yield bytes.subarray(at, at + PIECES[i % PIECES.length]);
}

/** Runs of 1 to 11 lines, by turns of the one stream and of the other. */
function runsOf(content) {
  const runs = [];
  for (let at = 0; at < content.length; ) {
    const start = at;
    for (let lines = (runs.length * 7) % 11; lines >= 0 && at < content.length; lines--)
      at = content.indexOf(10, at) + 1 || content.length;
    runs.push({ stream: runs.length % 2, bytes: content.subarray(start, at) });
  }
  return runs;
}
