/**
 * What the names and values of fields say of failure, as data: `"status": "failed"`,
 * `<testcase success="false">`, `"error": {…}`. One vocabulary for the members of JSON objects and
 * for the elements and attributes of XML. Names and words are compared in any case.
 */
import { hashName, hashWord, Kind } from '../table/tree/tree-sink.ts';
import type { TreeTable } from '../table/tree/tree-table.ts';

/** What a field is by its name, as bits: some names are several things. */
export const Field = {
  /** Counts failures. */
  counting: 1,
  /** Says that all is well, or not: `"success": false`. */
  approving: 2,
  /** Holds a verdict or a severity. */
  judging: 4,
  /** Speaks of a failure if there is something in it. */
  named: 8,
  /** What a record says in words. */
  message: 16,
  /** Tells which one a record is. */
  identity: 32,
  /** An element that is a finding by its name alone. */
  finding: 64,
  /** Holds settings: a severity in it is that of no finding. */
  setting: 128,
} as const;

const NAMES: readonly (readonly [field: number, names: string])[] = [
  [
    Field.counting,
    'failed failures errored errors errorcount failurecount numfailedtests numfailedtestsuites fatals',
  ],
  [Field.approving, 'success passed successful ok succeeded'],
  [
    Field.judging,
    'status state result outcome conclusion verdict level severity lvl loglevel log_level levelname action event type kind health nvd_severity vendor_severity baseseverity threat class',
  ],
  [
    Field.named,
    'error errors err exception exceptions failure failures fault faults error_message errormessage failuremessage failuremessages failure_message stacktrace stack_trace traceback',
  ],
  [
    Field.finding,
    'failure error exception fault fatal crash failed rerunfailure flakyfailure problem violation buginstance issue defect vulnerability',
  ],
  [Field.message, 'message msg title summary reason text description longmessage shortmessage overview'],
  [
    Field.identity,
    'name id ruleid rule file filename path filepath uri line startline version package code check testname classname module module_name fulltitle fullname cwe key sourcepath address url',
  ],
  [Field.setting, 'defaultconfiguration configuration config settings'],
];

const WORDS: readonly (readonly [severity: number, words: string])[] = [
  [
    3,
    'failed failure fail error errored fatal critical crit alert emergency panic broken severe exception crashed aborted timedout timed_out timeout unhealthy blocker',
  ],
  [2, 'high major'],
  [1, 'warning warn medium moderate'],
];
/** `not_failed`, `on-error`: what they say is no failure. */
const NEGATING = /^(?:no|not|non|never|without|on|zero|if)[-_ ]/i;
const LONGEST_WORD = 24;
const FALSE_WORDS = /^(?:false|no|0)$/i;
const FEW_BITS = 0xfff;

const FIELDS = new Map<number, number>();
for (const [field, names] of NAMES)
  for (const hash of names.split(' ').map(hashWord)) FIELDS.set(hash, (FIELDS.get(hash) ?? 0) | field);
/** By a few bits of a hash: whether it may be one of the names. Most names are none. */
const MAY_BE_FIELD = new Uint8Array(FEW_BITS + 1);
for (const hash of FIELDS.keys()) MAY_BE_FIELD[hash & FEW_BITS] = 1;
const SEVERITIES = new Map(
  WORDS.flatMap(([level, words]) => words.split(' ').map((word) => [hashWord(word), level])),
);
const SEVERITY = hashWord('severity');
const RULE = hashWord('ruleId');

/** What a name says, as bits of `Field`. */
export function fieldOf(name: number): number {
  return MAY_BE_FIELD[name & FEW_BITS] === 0 ? 0 : (FIELDS.get(name) ?? 0);
}

/**
 * What a row says of failure by itself: 3 an error, 2 something severe, 1 a warning, 4 a number of
 * failures, 5 that it holds settings, else 0.
 */
export function verdictOf(table: TreeTable, row: number): number {
  const name = table.name[row] as number;
  const kind = table.kind[row] as number;
  const field = fieldOf(name);
  // An event may be an array that begins with its name.
  if (name === 0 && kind === Kind.string && table.index[row] === 0 && isEvent(table, row))
    return severityIn(table, row);
  if (field === 0) return 0;
  if (field === Field.setting) return 5;
  const isText = kind === Kind.string || kind === Kind.attribute;
  if (kind === Kind.element) return (field & Field.finding) !== 0 || isFilledList(table, row, field) ? 3 : 0;
  if ((field & Field.named) !== 0 && kind !== Kind.attribute && isFilled(table, row)) return 3;
  if ((field & Field.counting) !== 0 && (kind === Kind.number || kind === Kind.attribute))
    return isPositive(table, row) ? 4 : 0;
  if ((field & Field.approving) !== 0)
    return kind === Kind.false || (kind === Kind.attribute && FALSE_WORDS.test(textOf(table, row))) ? 3 : 0;
  if ((field & Field.judging) === 0) return 0;
  if (kind === Kind.number && name === SEVERITY) return ruleSeverity(table, row);
  return isText ? severityIn(table, row) : 0;
}

/** How severe a short text is. */
function severityIn(table: TreeTable, row: number): number {
  const inside = table.kind[row] === Kind.string ? 1 : 0;
  const from = (table.start[row] as number) + inside;
  const to = (table.end[row] as number) - inside;
  if (to - from > LONGEST_WORD) return 0;
  const known = SEVERITIES.get(table.hash[row] as number);
  if (known !== undefined) return known;
  let last = to;
  while (last > from && !partsWords(table.byteAt(last - 1))) last--;
  if (last === from) return 0;
  const bytes = table.slice(from, to);
  const severity = SEVERITIES.get(hashName(bytes, last - from)) ?? 0;
  return severity > 0 && NEGATING.test(bytes.toString('latin1')) ? 0 : severity;
}

function partsWords(byte: number): boolean {
  return byte === 0x5f || byte === 0x2d || byte === 0x20;
}

/** ESLint counts severities: 2 is an error, 1 a warning. The name of a rule stands beside them. */
function ruleSeverity(table: TreeTable, row: number): number {
  const digit = table.byteAt(table.start[row] as number) - 0x30;
  for (let at = (table.parent[row] as number) + 1; at < row; at = table.next[at] as number)
    if (table.name[at] === RULE) return digit === 2 ? 3 : digit === 1 ? 1 : 0;
  return 0;
}

function isEvent(table: TreeTable, row: number): boolean {
  const list = table.parent[row] as number;
  const above = list < 1 ? -1 : (table.kind[table.parent[list] as number] as number);
  return table.kind[list] === Kind.array && (above === Kind.array || above === Kind.top);
}

/** A text, `true`, or a container that is not empty; a number says nothing. */
function isFilled(table: TreeTable, row: number): boolean {
  const kind = table.kind[row];
  if (kind === Kind.string) return (table.chars[row] as number) > 2;
  return (
    kind === Kind.true || ((kind === Kind.object || kind === Kind.array) && (table.count[row] as number) > 0)
  );
}

function isFilledList(table: TreeTable, row: number, field: number): boolean {
  return (field & Field.named) !== 0 && (table.count[row] as number) > 0;
}

function isPositive(table: TreeTable, row: number): boolean {
  return /^0*[1-9]\d{0,8}$/.test(textOf(table, row));
}

function textOf(table: TreeTable, row: number): string {
  const from = table.start[row] as number;
  return table.slice(from, Math.min(table.end[row] as number, from + LONGEST_WORD)).toString('latin1');
}
