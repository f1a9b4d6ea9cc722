/**
 * Structured logs: one JSON line an event, through pino, to standard error or a file. Names,
 * numbers and ids; never anything that was captured, nor its hash, nor who may fetch it.
 */
import type { LedgerEvent } from '@spillway/core';
import { type Level, pino } from 'pino';
import { tell } from '../output.ts';
import { isTerminal } from '../terminal.ts';

/** Where logs go, and from which level on. */
export interface EventLogOptions {
  /** The least level that is written. */
  readonly level: Level;
  /** A file to add to. Default: standard error. */
  readonly file?: string;
}

/** A log of events. */
export interface EventLog {
  /** Writes one line, if the event is of the level. */
  readonly note: (event: LedgerEvent) => void;
  /** Lets the file go. */
  readonly close: () => void;
}

const STDERR = 2;

/** Opens a log; pass its `note` as `onEvent`. */
export function eventLog({ level, file }: EventLogOptions): EventLog {
  const destination = destinationOf(file);
  const logger = pino({ level, base: { program: 'spillway', pid: process.pid } }, destination);
  return {
    note({ type, tool, session, output, data = {} }) {
      const { input: _hash, ...numbers } = data;
      const facts = { event: type, tool, session, output, ...numbers };
      logger[WARNINGS.has(type) ? 'warn' : 'info'](facts, SENTENCES[type]);
    },
    close: () => destination.end(),
  };
}

interface Destination {
  write(line: string): void;
  end(): void;
}

/** A terminal gets lines with control characters made visible: tools and sessions have any name. */
function destinationOf(file: string | undefined): Destination {
  if (file === undefined && isTerminal(STDERR)) return { write: (line) => tell(line.trimEnd()), end() {} };
  // At once, so that nothing is missing when the program ends.
  const destination = pino.destination({ dest: file ?? STDERR, sync: true, mkdir: true, mode: 0o600 });
  // A full disk or a closed pipe under the log must not fail the program.
  destination.on('error', () => undefined);
  return destination;
}

/** Events that need attention. */
const WARNINGS: ReadonlySet<LedgerEvent['type']> = new Set([
  'not_stored',
  'rendered_write',
  'missing_result',
]);

const SENTENCES: Readonly<Record<LedgerEvent['type'], string>> = {
  captured: 'an output was captured',
  projected: 'an output was shown',
  fetched: 'something of an output was fetched',
  reexecuted: 'a call was made again',
  judged: 'a person judged a suspected loss',
  not_stored: 'an output was not stored',
  rendered_write: 'a text of our own was offered as the result of a tool',
  missing_result: 'a request was made while a call had no result',
  prepared: 'a request was made, or refused',
  reported: 'a provider told what it read for a request',
  overflow_avoided: 'a request was refused or reduced to fit the window',
  compacted: 'a session was compacted',
  compared: 'a shadow compared two texts of an output',
  session_ended: 'a session was ended',
  found_idle: 'a session was found idle',
  revoked: 'handles were retired',
  purged: 'outputs were purged',
};
