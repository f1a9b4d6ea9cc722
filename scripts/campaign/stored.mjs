// What is stored, compared with what was answered: every output whose handle was told is there and
// whole, of every other one an exact prefix or the whole, and nothing holds other bytes than were
// written. Contents say their own name, so outputs that nobody was told of are compared as well.
import { textRange } from './content.mjs';
import { bytesOf } from './kills.mjs';

/** `answers`: name and bytes by handle. Returns how many others were cut, and how many are whole. */
export async function checkStored(store, answers, check) {
  const counts = { cut: 0, untold: 0, bytes: 0 };
  const seen = new Set();
  for (const scope of await scopesOf(store))
    for await (const record of pagesOf((after) => store.list({ scope, show: 'all', limit: 200, after }))) {
      seen.add(record.id);
      const part = record.parts.find(({ role, bytes }) => role === 'content' && bytes > 0);
      if (part === undefined) continue;
      const content = await bytesOf(store, record.id, part.index);
      counts.bytes += content.length;
      const whole = answers.get(record.id);
      const name = whole?.name ?? content.toString('latin1', 0, 64).split(' ')[1];
      check(
        content.equals(textRange(name, 0, content.length)),
        `${record.id} holds other bytes than were written`,
      );
      if (whole === undefined) counts[record.complete ? 'untold' : 'cut']++;
      else check(record.complete && content.length === whole.bytes, `${record.id} was told and is not whole`);
    }
  for (const id of answers.keys()) check(seen.has(id), `${id} was told and is gone`);
  return counts;
}

async function scopesOf(store) {
  const scopes = new Set();
  for await (const { scope } of pagesOf((after) => store.sessions({ show: 'all', limit: 200, after })))
    scopes.add(scope);
  return scopes;
}

async function* pagesOf(page) {
  for (let after, more = true; more; ) {
    const { items, next } = await page(after);
    yield* items;
    after = next;
    more = after !== undefined;
  }
}

/**
 * What dead writers left on a server is removed a day later: that day has come. Then nothing is
 * there that no output refers to.
 */
export async function checkSwept({ query }, write, check) {
  const leftover = 'SELECT count(*)::int AS count FROM spillway.content WHERE hash IS NULL';
  const [{ count: left }] = await query(leftover);
  await query("UPDATE spillway.content SET written_at = now() - interval '25 hours' WHERE hash IS NULL");
  await write();
  const [{ count }] = await query(leftover);
  check(count === 0, `${count} of ${left} contents of killed writers were not swept`);
  const [{ count: wrong }] = await query(
    `SELECT count(*)::int AS count FROM spillway.content c WHERE hash IS NOT NULL
     AND refs <> (SELECT count(*) FROM spillway.part p WHERE p.content = c.id)`,
  );
  check(wrong === 0, `${wrong} contents count other parts than refer to them`);
  return left;
}
