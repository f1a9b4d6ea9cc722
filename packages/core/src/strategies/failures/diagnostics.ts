/**
 * Diagnostics of compilers and linters, recognised by shape: a place, then a message. Messages that
 * differ only in paths, numbers and quoted names are one kind. Kinds are counted in bounded memory.
 * Hidden ones are listed below the markers, by file or by code.
 */

import { sampleNames } from '../../table/plan.ts';
import type { RowFit } from '../../table/row-fit.ts';
import { formatCount } from '../../text/numbers.ts';

export interface DiagnosticGroup {
  /** Unique, and below 0. */
  readonly id: number;
  count: number;
}

interface Diagnostic {
  /** Empty where the line does not say it. */
  readonly file: string;
  readonly line: string;
  readonly message: string;
}

const MOST_KINDS = 5_000;

/**
 * `src/a.ts(3,4): error TS1: …`, `a.c:3:4: warning: …`, `[ERROR] /a/B.java:[3,4] …`, `a.ts:3:4 -
 * error …`.
 */
const PLACED =
  /^\s*(?:\[\w+\] )?((?:[A-Za-z]:)?[^\s:()[\]'"]+\.\w{1,8})(?::\[?|\(|\[)(\d+)(?:[,:]\d+)?[\])]?:?\s+(?:-\s+)?(\S.*)$/;
/** `  12:5  error  …`, below the name of its file. */
const LISTED = /^\s+(\d+):\d+\s+((?:error|warning|✖)\s.*)$/;
/** `error[E0308]: …`, with its place on the next line. */
const ALONE = /^((?:error|warning)(?:\[\w+\])?: .*)$/;

const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|‘[^‘’]*’|“[^“”]*”/g;
const PATH = /(?<!\S)[^\s/\\]*[/\\]\S*/g;
/** `TS2339`, `E0308`; `[-Wunused-variable]`, `[no-untyped-def]`; `  no-console`. */
const CODE = /^(?:\w+[ :[]+)?([A-Z]{1,8}-?\d{2,6})\b|\[([\w@/=.+-]{2,60})\]$|(?<! ) {2,}([\w@/-]{2,60})$/;
const MOST_CODE_CHARS = 48;

export class Diagnostics {
  readonly #groups = new Map<string, DiagnosticGroup>();
  readonly codes = new Map<string, number>();

  /** Null if the line is not a diagnostic. */
  count(text: string): DiagnosticGroup | null {
    const found = diagnosticIn(text);
    if (found === null) return null;
    const kind = kindOf(found.message);
    const group = this.#groups.get(kind) ?? { id: -1 - this.#groups.size, count: 0 };
    if (group.count === 0 && this.#groups.size < MOST_KINDS) this.#groups.set(kind, group);
    group.count++;
    const code = codeOf(found.message);
    const before = this.codes.get(code) ?? 0;
    if (before > 0 || this.codes.size < MOST_KINDS) this.codes.set(code, before + 1);
    return group;
  }
}

/** Its file stands above it. */
export function isListed(text: string): boolean {
  return LISTED.test(text);
}

function diagnosticIn(text: string): Diagnostic | null {
  const placed = PLACED.exec(text);
  if (placed !== null) return { file: placed[1] ?? '', line: placed[2] ?? '', message: placed[3] ?? '' };
  const [, line = '', message = ALONE.exec(text)?.[1]] = LISTED.exec(text) ?? [];
  return message === undefined ? null : { file: '', line, message };
}

function kindOf(message: string): string {
  const named = message.slice(0, 300).replaceAll(QUOTED, '‹›');
  return (/[/\\]/.test(named) ? named.replaceAll(PATH, '/') : named).replaceAll(/\b\d+/g, '0');
}

function codeOf(message: string): string {
  const [, first, inBrackets, last] = CODE.exec(message.slice(0, 300).trimEnd()) ?? [];
  return (
    first ?? inBrackets ?? last ?? message.slice(0, 300).replaceAll(QUOTED, '…').slice(0, MOST_CODE_CHARS)
  );
}

/** Fewer hidden ones are not listed. */
const WORTH_NOTING = 4;
/** Of so many, the fullest files and the most frequent codes come first. */
const MANY_HIDDEN = 100;
/** Chars for the places of one code; share of the room for all lines. */
const POSITIONS_CHARS = 150;
/** Share of what is left for the names of files. */
const FILES_SHARE = 0.5;
/** Listed by file if each has this many on average. */
const LEAST_IN_FILE = 2;
/** Share of the room for warnings by file, beside errors. */
const MINOR_SHARE = 0.1;

export interface DiagnosticRows {
  readonly codes: ReadonlyMap<string, number>;
  readonly hasErrors: boolean;
  isDiagnostic(row: number): boolean;
  isWarning(row: number): boolean;
  /** The row that names its file; -1 if there is none. */
  headingOf(row: number): number;
}

interface Hidden {
  readonly row: number;
  readonly file: string;
  readonly line: string;
  readonly code: string;
}

/** Lists hidden diagnostics below the markers of their gaps. */
export function noteDiagnostics(fit: RowFit, known: DiagnosticRows): void {
  const { table } = fit;
  const left = new Map(known.codes);
  const hidden: Hidden[] = [];
  for (let row = 0; row < table.rows; row++) {
    const found = known.isDiagnostic(row) ? diagnosticIn(table.textOf(row)) : null;
    if (found === null) continue;
    const code = codeOf(found.message);
    const heading = known.headingOf(row);
    const file = found.file === '' && heading >= 0 ? table.textOf(heading).trim() : found.file;
    if (fit.taken[row] === 1 || fit.isListed(row)) left.set(code, (left.get(code) ?? 0) - 1);
    else hidden.push({ row, file, line: found.line, code });
  }
  if (hidden.length < WORTH_NOTING) return;
  const files = [...Map.groupBy(hidden, ({ file }) => file)];
  const lines = files.map(([file, own]) => {
    const codes = [...Map.groupBy(own, ({ code }) => code)].sort((a, b) => b[1].length - a[1].length);
    const words = codes.map(([code, { length }]) =>
      length === 1 ? code : `${code} ×${formatCount(length)}`,
    );
    return { row: own[0]?.row ?? 0, text: `· ${file}: ${words.join(', ')}` };
  });
  const chars = lines.reduce((sum, { text }) => sum + text.length + 1, 0);
  const isMany = hidden.length >= MANY_HIDDEN;
  const isInFiles =
    !table.isPruned &&
    hidden.length >= LEAST_IN_FILE * files.length &&
    hidden.every(({ file }) => file !== '');
  const isMinor = known.hasErrors && hidden.every(({ row }) => known.isWarning(row));
  if (isInFiles && chars <= (isMinor ? Math.min(fit.left, MINOR_SHARE * fit.share.chars) : fit.left)) {
    for (const { row, text } of lines) fit.note(row, text);
    return;
  }
  const codes = [...Map.groupBy(hidden, ({ code }) => code)];
  // A row holds one line of ours.
  const free = hidden.find((each) => codes.every(([, [first]]) => first !== each));
  if (isInFiles && files.length > 1 && isMany && !isMinor && free !== undefined)
    fit.note(free.row, `· by file: ${largestOf(files, FILES_SHARE * fit.left)}`);
  if (isMany) codes.sort(([, a], [, b]) => b.length - a.length);
  for (const [code, own] of codes) {
    const positions = own.map(({ file, line }) => (file === '' ? line : `${file}:${line}`)).filter(Boolean);
    const listed = positions.length < own.length ? '' : `: ${sampleNames(positions, POSITIONS_CHARS)}`;
    fit.note(own[0]?.row ?? 0, `· ${code} ×${formatCount(left.get(code) ?? own.length)}${listed}`);
  }
}

/** Files with how many each holds, the fullest first, as far as they fit. */
function largestOf(
  files: readonly (readonly [file: string, own: readonly Hidden[]])[],
  most: number,
): string {
  const names = files
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([file, { length }]) => (length === 1 ? file : `${file} ×${formatCount(length)}`));
  let count = 0;
  for (let chars = 0; count < names.length; count++) {
    chars += (names[count] as string).length + 2;
    if (chars > most) break;
  }
  const left = names.length - count;
  return [...names.slice(0, count), ...(left > 0 ? [`… ${formatCount(left)} more`] : [])].join(', ');
}
