/**
 * Parses a line of an exported session. The file may come from anybody: a line is believed once
 * every field of it has its type. An error names the field and never its value.
 */
import { SpillwayError } from '../../model/errors.ts';
import { each, fieldsOf, isCount, isId, isOneOf, isText, shaped, wrong } from '../../model/fields.ts';
import { parseOutputRecord, parseProjectionRecord, parseSummaryRecord } from '../../model/records.ts';
import { checkMessage } from '../check-message.ts';
import type { HistoryLine } from './export.ts';

const LINES: Readonly<Record<HistoryLine['type'], (value: unknown, path: string) => void>> = {
  session: shaped({ format: isKnownFormat, scope: isText, session: isText }),
  output: shaped({ record: (value) => parseOutputRecord(value, 'record') }),
  bytes: shaped({ part: isCount, base64: isBase64 }),
  end: shaped({ output: isId, projections: each((value, path) => parseProjectionRecord(value, path)) }),
  message: shaped({ record: isMessage }),
  summary: shaped({ record: (value) => parseSummaryRecord(value, 'record') }),
  session_end: shaped({ outputs: isCount, messages: isCount, summaries: isCount }),
};

const isLineType = isOneOf(Object.keys(LINES));

/** The line, or an `invalid_argument` error with the path of the field that is wrong. */
export function parseHistoryLine(value: unknown): HistoryLine {
  const { type } = fieldsOf(value, '');
  isLineType(type, 'type');
  LINES[type as HistoryLine['type']](value, '');
  return value as HistoryLine;
}

function isKnownFormat(value: unknown, path: string): void {
  if (value === 1 || value === 2) return;
  isCount(value, path);
  throw new SpillwayError(
    'invalid_argument',
    'The session was exported by a later version of Spillway: update Spillway.',
  );
}

/** As the export writes it: another spelling would be read as other bytes. */
function isBase64(value: unknown, path: string): void {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0)
    throw wrong(path, 'must be base64');
}

function isMessage(value: unknown): void {
  const { id, place, scope, session } = fieldsOf(checkMessage(value, 'record'), 'record');
  isText(id, 'record.id');
  isCount(place, 'record.place');
  isText(scope, 'record.scope');
  isText(session, 'record.session');
}
