// A process of its own that uses a SQLite store, for tests that kill it or run several. Arguments:
// command, file, tag, count. `write` seals outputs and ends. `crash` seals three, then captures
// until it is killed. `hold` captures 10 pieces and seals when told to on standard input. `say`
// adds messages to a session that others share. `read` checks whatever is listed until told to
// stop.
import { createHash } from 'node:crypto';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { bytesOf, draft, piecesOf, storeOutput } from '../../src/testing/index.ts';
import { SEAL } from '../../src/testing/stores/samples.ts';
import { idOf, textOf } from './process-content.ts';

const [command = '', file = '', tag = '', count = '0'] = process.argv.slice(2);
const store = sqliteStore({ file });
const say = (line: string) => process.stdout.write(`${line}\n`);
// A test that is given up must not leave its processes behind.
process.stdin.once('end', () => process.exit(1));
const ready = new Promise<void>((resolve) => process.stdin.once('data', () => resolve()));

const commands: Record<string, () => Promise<void>> = {
  async write() {
    for (let i = 0; i < Number(count); i++) {
      await storeOutput(store, { id: idOf(tag, i), parts: [textOf(tag, i)], session: tag });
      if (i === 0) say('writing');
    }
  },

  async crash() {
    for (let i = 0; i < 3; i++)
      await storeOutput(store, { id: idOf(tag, i), parts: [textOf(tag, i)], session: tag });
    const { writer, part } = await begin();
    const { pieces } = piecesOf(textOf(tag, 999, 400));
    for (const [i, piece] of pieces.entries()) {
      await writer.append(part, piece);
      if (i === 20) say('capturing');
      if (i > 20) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await ready;
  },

  async hold() {
    const { writer, part } = await begin();
    const { pieces, totals } = piecesOf(textOf(tag, 999, 10));
    for (const piece of pieces) await writer.append(part, piece);
    await store.usage();
    say('holding');
    await ready;
    await writer.seal({ ...SEAL, parts: [totals] });
  },

  async say() {
    for (let i = 0; i < Number(count); i++) {
      const parts = [{ type: 'text', text: `${tag} ${i}` } as const];
      const messages = [{ id: `${tag}${i}`, role: 'user', at: i, parts } as const];
      await store.addMessages({ scope: 'scope-1', session: 'shared', messages });
    }
  },

  async read() {
    let stop = false;
    let checked = 0;
    void ready.then(() => {
      stop = true;
    });
    say('reading');
    while (!stop) {
      const { items } = await store.list({ scope: 'scope-1', show: 'all', limit: 20 });
      for (const record of items) {
        const hash = createHash('sha256')
          .update(await bytesOf(store, record.id))
          .digest('hex');
        if (hash !== record.parts[0]?.hash) throw new Error(`${record.id} is not whole`);
        checked++;
      }
    }
    say(`checked ${checked}`);
  },
};

async function begin() {
  const writer = await store.create(draft({ id: idOf(tag, 999), session: tag }));
  return { writer, part: writer.part({ role: 'content', kind: 'text', name: 'stdout' }) };
}

await commands[command]?.();
await store.close();
process.exit(0);
