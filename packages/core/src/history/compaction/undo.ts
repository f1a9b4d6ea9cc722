/** Undoing a compaction adds a version; nothing is ever deleted. */
import { SpillwayError } from '../../model/errors.ts';
import { allItems } from '../../model/every-item.ts';
import type { SummaryRecord } from '../../model/summary.ts';
import type { SessionContext } from '../context.ts';
import type { SessionName } from '../read-session.ts';

/** Makes the previous summary count again, as a new version. */
export async function undoCompaction(context: SessionContext, name: SessionName): Promise<SummaryRecord> {
  const { store } = context;
  const versions = await allItems((page) => store.summaries({ ...name, ...page }));
  const byVersion = new Map(versions.map((record) => [record.version, record]));
  const real = (record: SummaryRecord | undefined): SummaryRecord | undefined =>
    record?.by === 'undo' ? byVersion.get(record.restores ?? 0) : record;
  const current = real(versions[0]);
  if (current === undefined || versions[0] === undefined)
    throw new SpillwayError(
      'invalid_argument',
      'There is no summary to undo: the session was not compacted.',
    );
  const before = real(byVersion.get(current.parent));
  const { covers, text, state } = before ?? { covers: 0, text: '', state: {} };
  const parent = versions[0].version;
  const restores = before?.version ?? 0;
  return store.addSummary({
    ...name,
    at: context.clock(),
    parent,
    covers,
    by: 'undo',
    restores,
    text,
    state,
  });
}
