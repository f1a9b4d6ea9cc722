// What a route of a user's server does: a tool's output is stored by the thread of the store and
// bounded, and the rest is fetched by a pattern. Prints what came of it.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAgent } from 'spillway';

export async function route() {
  const workspace = mkdtempSync(join(tmpdir(), 'spillway-route-'));
  const agent = await openAgent({ workspace, session: 'run', thread: true });
  const build = agent.tool(async () => `${'a line\n'.repeat(9_000)}needle\n`, { name: 'build' });
  const shown = await build({});
  const [artifact_id] = /art_\w+/.exec(shown);
  const page = await agent.fetch({ artifact_id, pattern: 'needle' });
  await agent.close();
  return { bounded: shown.length <= 8_000, found: JSON.stringify(page).includes('needle') };
}
