/** An artifact as it is shown in `--json`: size in bytes, type, source, created, hash. */
import type { OutputRecord } from '@spillway/core';
import { inSnakeCase } from '../../snake-case.ts';

export function artifactFacts(record: OutputRecord) {
  const content = record.parts.filter((part) => part.role === 'content');
  return {
    id: record.id,
    size: content.reduce((sum, part) => sum + part.bytes, 0),
    lines: content.reduce((sum, part) => sum + part.lines, 0),
    type: content.length === 1 ? (content[0]?.mediaType ?? content[0]?.kind ?? 'text') : 'parts',
    source: { tool: record.tool, server: record.server ?? null, summary: record.summary },
    session: record.session,
    created: new Date(record.startedAt).toISOString(),
    hash: content.length === 1 ? (content[0]?.hash ?? '') : content.map((part) => part.hash),
    complete: record.complete,
    outcome: inSnakeCase(record.outcome),
    disclosed: record.disclosed,
    revoked: record.retiredAt !== undefined,
  };
}
