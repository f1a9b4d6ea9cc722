// Exported sessions that somebody changed. Whatever is changed, an import succeeds or says what is
// wrong with which line, and what it took in can be listed, sent and exported.
import { describe, expect, it } from 'vitest';
import { parseArtifactId, SpillwayError } from '../../src/index.ts';
import { randomOf, withMutation } from '../mutations.ts';
import { linesOf, NAME, openHistory, turn } from './opened.ts';

const RUNS = Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 500);
const SEED = 20_261_115;

async function exported(): Promise<string[]> {
  const { session } = openHistory();
  await session.say({ role: 'user', parts: [{ type: 'media', mediaType: 'image/png', data: 'AAAA' }] });
  for (let i = 0; i < 3; i++) await turn(session, i, linesOf(i === 1 ? 12_000 : 600, `t${i}`));
  await session.prepare({ window: 60_000 });
  await session.compact({ keepTokens: 200 });
  const lines: string[] = [];
  for await (const line of session.exportLines()) lines.push(line);
  return lines;
}

function mutated(lines: readonly string[], pick: (below: number) => number): string[] {
  const changed = [...lines];
  for (let times = 1 + pick(2); times > 0; times--) {
    const at = pick(changed.length);
    const line = changed[at] ?? '';
    const way = pick(12);
    if (way === 0) changed.splice(at, 1);
    else if (way === 1) changed.splice(at, 0, line);
    else if (way === 2) changed.splice(at, 1, line.slice(0, pick(line.length + 1)));
    else if (way === 3) changed.splice(at, 1, ...changed.splice(pick(changed.length), 1, line));
    else changed[at] = withMutation(line, pick);
  }
  return changed;
}

describe('an exported session that somebody changed', () => {
  it(`is imported or refused with a sentence, in ${RUNS} ways`, async () => {
    const lines = await exported();
    const counts = { imported: 0, refused: 0 };
    for (let run = 0; run < RUNS; run++) {
      const pick = randomOf(SEED + run);
      const { store, session } = openHistory();
      const changed = mutated(lines, pick);
      try {
        await session.importLines(changed);
        counts.imported++;
      } catch (error) {
        if (!(error instanceof SpillwayError)) throw new Error(`run ${run}: ${error}`, { cause: error });
        counts.refused++;
      }
      // What was taken in, also before the line that was refused, is as good as any.
      try {
        for await (const _ of session.exportLines());
        await session.prepare({ window: 60_000 });
        for (const { id } of (await store.list({ scope: NAME.scope, show: 'all' })).items)
          await store.frozen(id, 'model');
      } catch (error) {
        if (!(error instanceof SpillwayError))
          throw new Error(`run ${run}, afterwards: ${error}`, { cause: error });
      }
    }
    expect(counts.refused).toBeGreaterThan(RUNS / 3);
    expect(counts.imported).toBeGreaterThan(0);
  });

  it('is told by line and field, and says what was imported before', async () => {
    const lines = await exported();
    const at = lines.findIndex((line) => line.startsWith('{"type":"output"'));
    const line = JSON.parse(lines[at] ?? '');
    line.record.parts[0].hash = 'a secret';
    const { session } = openHistory();
    const importing = session.importLines(lines.with(at, JSON.stringify(line)));
    await expect(importing).rejects.toMatchObject({
      code: 'invalid_argument',
      message: `Line ${at + 1}: \`record.parts[0].hash\` must be a SHA-256 hash in hexadecimal. Imported so far: 0 outputs and 0 messages.`,
    });
  });

  it('cannot say what another output was shown as', async () => {
    const lines = await exported();
    const victim = openHistory();
    const { output: record } = await turn(victim.session, 9, linesOf(500, 'mine'));
    const output = record.id;
    const at = lines.findIndex((line) => line.includes('"projections":[{'));
    const line = JSON.parse(lines[at] ?? '');
    line.projections[0].output = output;
    line.projections[0].audience = 'screen';
    line.projections[0].projection.text = 'FORGED';
    const elsewhere = victim.history.session({ scope: 'another scope', session: 'planted' });
    await expect(elsewhere.importLines(lines.with(at, JSON.stringify(line)))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    for (const audience of ['model', 'transport', 'screen'] as const)
      expect((await victim.store.frozen(output, audience))?.projection.text ?? '').not.toContain('FORGED');
  });

  it('cannot say what an output was shown as that is here already', async () => {
    const one = openHistory();
    await turn(one.session, 1, linesOf(500));
    const lines: string[] = [];
    for await (const line of one.session.exportLines()) lines.push(line);
    const other = openHistory();
    await other.session
      .importLines(lines.filter((line) => !line.includes('"message"')).slice(0, -1))
      .catch(() => 0);
    const [here] = (await other.store.list({ scope: NAME.scope, show: 'all' })).items;
    const id = parseArtifactId(here?.id);
    const forged = lines.map((line) => {
      const value = JSON.parse(line);
      if (value.type !== 'end') return line;
      const projection = { text: 'FORGED', notice: null, blocks: [], metadata: metadataOf(id) };
      const record = { output: id, audience: 'model', at: 1, policy: {}, rendererVersion: 1, selections: [] };
      return JSON.stringify({ ...value, projections: [{ ...record, projection, disclosed: false }] });
    });
    await other.session.importLines(forged);
    expect(await other.store.frozen(id, 'model')).toBeUndefined();
  });

  it('has the counts that its bytes have, whatever it says', async () => {
    const lines = await exported();
    const at = lines.findIndex((line) => line.startsWith('{"type":"output"'));
    const line = JSON.parse(lines[at] ?? '');
    const { chars } = line.record.parts[0];
    Object.assign(line.record.parts[0], { chars: 5, lines: 7_000_000 });
    const { session, store } = openHistory();
    await session.importLines(lines.with(at, JSON.stringify(line)));
    const kept = await store.find({ scope: NAME.scope, id: line.record.id });
    expect(kept).toMatchObject({
      parts: expect.arrayContaining([expect.objectContaining({ index: 0, chars })]),
    });
  });
});

function metadataOf(id: string) {
  return {
    original_size: 1,
    original_lines: 1,
    truncated_size: 1,
    notice_size: 0,
    strategy_used: 'head',
    artifact_id: id,
    was_truncated: true,
    estimated_tokens: 1,
    omitted: [],
    elided_chars: 0,
    saved_path: null,
    exceeds_max: false,
    source_truncated: false,
    ill_formed: false,
    lookalikes: 0,
    policy_hash: 'x',
    stored: true,
    complete: true,
    outcome: { status: 'ok' },
  };
}
