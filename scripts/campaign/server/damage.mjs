// Rows of a server that say something else than was written, as a disk or a hand may leave them:
// what is served is exact, what is not is refused by name, `spillway store verify` names the
// damaged outputs and no others, and a new output is stored.
import { SpillwayError } from '@spillway/core';
import { between, textRange } from '../content.mjs';
import { bytesOf } from '../kills.mjs';
import { newWorkspace, run } from '../program.mjs';
import { removeFolder } from '../remove-folder.mjs';
import { storeOf } from '../stores.mjs';
import { WRITERS } from '../writers.mjs';

const PIECES = `spillway.piece WHERE content = (SELECT p.content FROM spillway.part p
  JOIN spillway.output o ON o.seq = p.output WHERE o.id = $1 ORDER BY p.content DESC LIMIT 1)`;

/** By kind: the statement that damages the content of an output. */
const DAMAGES = {
  'flipped bits': `UPDATE spillway.piece SET data = set_byte(data, length(data) / 2, 255 - get_byte(data, length(data) / 2))
    FROM (SELECT content AS c, max(start_bytes) AS s FROM ${PIECES} GROUP BY content) AS last WHERE content = c AND start_bytes = s`,
  'short piece': `UPDATE spillway.piece SET data = substring(data FOR length(data) - 7)
    FROM (SELECT content AS c, max(start_bytes) AS s FROM ${PIECES} GROUP BY content) AS last WHERE content = c AND start_bytes = s`,
  'lost pieces': `DELETE FROM ${PIECES}`,
  'other checksum': `UPDATE ${PIECES.replace('WHERE', 'SET crc = crc + 1 WHERE')}`,
};

export async function serverDamage(scene) {
  const { check, random, smoke, tell } = scene;
  const workspace = newWorkspace(scene, 'server-damage');
  const store = await storeOf('postgres', workspace.root);
  Object.assign(workspace, { env: store.env });
  const opened = store.open();
  const counts = { served: 0, refused: 0 };
  const rounds = smoke ? 1 : 5;
  const damaged = new Set();
  const outputs = new Map();
  for (let round = 0; round < rounds; round++)
    for (const [kind, sql] of Object.entries(DAMAGES)) {
      const name = `d${round}-${kind.replace(' ', '-')}`;
      const answer = await WRITERS.truncate(workspace, name, 64 * between(random, 200, 20_000)).answer;
      check(answer.id !== undefined, `not stored beside damaged ones: ${answer.text.slice(-200)}`);
      outputs.set(answer.id, answer);
      if (random() < 0.3) continue;
      await store.query(sql, [answer.id]);
      damaged.add(answer.id);
      tell(`${kind}: ${name}`);
    }
  for (const [id, output] of outputs) await use(opened, id, output, damaged.has(id), counts, check);
  const { stdout } = await run(workspace, ['store', 'verify', '--json']);
  const named = JSON.parse(stdout).damaged.map((one) => one.id ?? one);
  check(
    named.sort().join() === [...damaged].sort().join(),
    `verify names ${named.length} of ${damaged.size}`,
  );
  await opened.close();
  removeFolder(workspace.root);
  return {
    rounds: outputs.size,
    numbers: [
      `${counts.served} outputs served exactly, ${counts.refused} of ${damaged.size} damaged ones refused by name`,
    ],
  };
}

async function use(store, id, { name, bytes }, isDamaged, counts, check) {
  try {
    const content = await bytesOf(store, id, 0);
    check(!isDamaged && content.equals(textRange(name, 0, bytes)), `${name}: wrong bytes were served`);
    counts.served++;
  } catch (error) {
    check(isDamaged && error instanceof SpillwayError, `${name}: ${error.message}`);
    counts.refused++;
  }
}
