/**
 * What `auto` decides, and why: the content first, then what is known of the call. Pure, and the
 * same for fresh and stored text.
 */
import type { ContentKind } from '../model/content.ts';

/** Detecting a kind is work, so only as many as needed are asked for. */
export interface SampleKinds {
  readonly length: number;
  at(index: number): ContentKind | undefined;
}

export interface AutoEvidence {
  /** Of the beginning, and of later samples. */
  readonly kinds: SampleKinds;
  /** The text follows the grammar of its format. */
  readonly element: 'valid document' | 'lines' | null;
  readonly isFile: boolean;
  readonly isCommand: boolean;
  readonly isSearch: boolean;
  /** The call is known to have failed. */
  readonly failed: boolean;
  /** Asked on demand. */
  readonly hasErrors: (evidence: 'any' | 'sure') => boolean;
  /** Mostly repetitive, with some lines that are not. Asked on demand. */
  readonly standsOut: () => boolean;
  /** Whether most lines say the same, or that something passed. Asked only where it matters. */
  readonly isRepetitive: () => boolean;
}

/** `plain`: the positional strategy that the tool's default names. */
type AutoChoice = 'smart' | 'element' | 'reading' | 'plain';

export interface Decision {
  readonly choice: AutoChoice;
  /** Ends the sentence `… because`. */
  readonly why: string;
}

const PRINTED: ReadonlySet<ContentKind> = new Set(['log', 'test', 'compiler', 'trace']);
/** Kinds of files; line numbers would make columns of others. */
const FILE_KINDS: ReadonlySet<ContentKind> = new Set(['csv', 'diff', 'listing']);
const WRITTEN: ReadonlySet<ContentKind> = new Set(['code', 'prose']);

export function decide(evidence: AutoEvidence): Decision {
  const { kinds, element, isFile, isCommand, failed, isSearch } = evidence;
  const kind = firstOf(kinds);
  if (element === 'valid document') return { choice: 'element', why: `it is ${NAMES[kind] ?? kind}` };
  if (isFile && !isLog(evidence)) return fileDecision(evidence);
  if (failed && (isLog(evidence) || evidence.hasErrors('any')))
    return { choice: 'smart', why: 'the call failed' };
  if (element === 'lines') return linesDecision(evidence);
  if (isLog(evidence)) return { choice: 'smart', why: `its lines look like ${NAMES[printedKind(kinds)]}` };
  // Names that were found are all alike: whole runs of them say more than some from everywhere.
  if (isSearch && kind === 'listing') return { choice: 'plain', why: 'it is a list of what was found' };
  if (isSearch) return { choice: 'reading', why: 'it is the result of a search' };
  if (isWritten(kinds)) {
    if (isCommand && hasOwnErrors(evidence))
      return { choice: 'smart', why: 'some of its lines tell of errors' };
    if (!evidence.standsOut()) return { choice: 'reading', why: `it is ${NAMES[kind] ?? kind}` };
  }
  if (evidence.hasErrors('any')) return { choice: 'smart', why: 'some of its lines may tell of errors' };
  if (evidence.standsOut()) return { choice: 'smart', why: 'few of its lines are unlike all others' };
  if (evidence.isRepetitive()) return { choice: 'smart', why: 'most of its lines are alike' };
  return { choice: 'plain', why: 'nothing else is known of it' };
}

function fileDecision({ kinds, element }: AutoEvidence): Decision {
  const kind = firstOf(kinds);
  if (element === 'lines' && FILE_KINDS.has(kind))
    return { choice: 'element', why: `it is a file with ${NAMES[kind] ?? kind}` };
  if (!hasAtLeast(1, kinds, (each) => each !== 'text'))
    return { choice: 'plain', why: 'it is a file of an unknown kind' };
  return { choice: 'reading', why: 'it is a file' };
}

/** By their grammar, unless other lines among them report errors. */
function linesDecision(evidence: AutoEvidence): Decision {
  const kind = firstOf(evidence.kinds);
  const name = NAMES[kind] ?? kind;
  if (evidence.isCommand && !evidence.isSearch && evidence.hasErrors('any'))
    return { choice: 'smart', why: `lines that are no ${name} tell of errors` };
  return { choice: 'element', why: `it is ${name}` };
}

/** Kinds that programs print while they work. */
function isPrinted(kind: ContentKind): boolean {
  return PRINTED.has(kind);
}

/**
 * When in doubt, printed text is a log: one sample is enough, unless most of the text is something
 * else.
 */
export function isLog({ kinds, isFile }: Pick<AutoEvidence, 'kinds' | 'isFile'>): boolean {
  return isFile
    ? !hasAtLeast(1, kinds, (kind) => !isPrinted(kind))
    : hasAtLeast(kinds.length / 3, kinds, isPrinted);
}

/** Surely, or in prose together with a log. */
function hasOwnErrors({ kinds, hasErrors }: AutoEvidence): boolean {
  if (hasErrors('sure')) return true;
  const isMixed = hasAtLeast(1, kinds, isPrinted) && !hasAtLeast(1, kinds, (kind) => kind === 'code');
  return isMixed && hasErrors('any');
}

function printedKind(kinds: SampleKinds): ContentKind {
  for (let i = 0; i < kinds.length; i++) {
    const kind = kinds.at(i) ?? 'text';
    if (isPrinted(kind)) return kind;
  }
  return 'log';
}

function isWritten(kinds: SampleKinds): boolean {
  return hasAtLeast(kinds.length / 2, kinds, (kind) => WRITTEN.has(kind));
}

function firstOf(kinds: SampleKinds): ContentKind {
  return kinds.at(0) ?? 'text';
}

/** Stops as soon as the answer is known. */
function hasAtLeast(needed: number, kinds: SampleKinds, isOne: (kind: ContentKind) => boolean): boolean {
  let found = 0;
  for (let i = 0; found < needed && found + kinds.length - i >= needed; i++) {
    if (isOne(kinds.at(i) ?? 'text')) found++;
  }
  return found >= needed;
}

const NAMES: Readonly<Record<string, string>> = {
  json: 'JSON',
  ndjson: 'JSON, one value a line',
  xml: 'XML',
  html: 'HTML',
  csv: 'a table',
  tsv: 'a table',
  table: 'a table',
  listing: 'a listing',
  hits: 'search hits',
  diff: 'a diff',
  log: 'a log',
  test: 'a test run',
  compiler: 'compiler messages',
  trace: 'a stack trace',
  code: 'source code',
  prose: 'prose',
};
