/**
 * Copies an output from one store to another: same handle, same bytes, checked against their
 * hashes, with what was sent of it.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { PartTotals } from '../../model/part.ts';
import type { OutputWriter, Store } from '../../model/store.ts';
import { PieceCutter } from '../../text/pieces.ts';

type Source = Pick<Store, 'read' | 'frozen'>;

export async function copyOutput(from: Source, to: Store, record: OutputRecord): Promise<void> {
  const { id, tool, callId, session, scope, startedAt } = record;
  const draft = { id, tool, session, scope, startedAt, ...(callId === undefined ? {} : { callId }) };
  const writer = await to.create(draft);
  try {
    await copyParts(from, writer, record);
  } catch (error) {
    // A store that failed may fail to forget as well; the reason given is the first one.
    await writer.discard().catch(() => undefined);
    throw error;
  }
}

async function copyParts(from: Source, writer: OutputWriter, record: OutputRecord): Promise<void> {
  const totals: PartTotals[] = [];
  for (const part of record.parts) {
    const { index: _, bytes, chars, lines, illFormed, hash, notes, ...spec } = part;
    writer.part(spec);
    totals.push({ bytes, chars, lines, illFormed, hash, notes });
  }
  for (const { index, kind, hash, notes } of record.parts) {
    const cutter = new PieceCutter(kind);
    for await (const bytes of (await from.read(record.id, index, { bytes: 0 })).pieces)
      for (const piece of cutter.push(bytes)) await writer.append(index, piece);
    for (const piece of cutter.finish()) await writer.append(index, piece);
    if (cutter.totals(notes).hash !== hash)
      throw new SpillwayError('corrupt', 'The bytes of an output that was held in memory have changed.');
  }
  const { outcome, complete, sourceTruncated, endedAt, summary } = record;
  const projection = await from.frozen(record.id, 'model');
  const sent = projection === undefined ? {} : { projection };
  await writer.seal({ outcome, complete, sourceTruncated, endedAt, summary, parts: totals, ...sent });
}
