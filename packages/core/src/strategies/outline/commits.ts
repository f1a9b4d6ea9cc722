/**
 * Commits as `git log` and `git show` write them: the newest whole, then one line each, the oldest,
 * and how many there are. Commits of one line each are rows in an order of time: their head.
 */
import { patchTiers } from '../../formats/diff/plan.ts';
import type { Plan, PlanFacts, PlanPiece, PlanTier } from '../../model/plan.ts';
import { clipped, piecesOf, type Rows } from '../../table/plan.ts';

const COMMIT = /^[*|\\/_ ]{0,40}commit ([0-9a-f]{7,64})\b/;
const GRAPH = /^[*|\\/_ ]{0,40}/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DATE = /(\w{3}) +(\d{1,2}) [\d:]{5,8} (\d{4})/;
/** Message rows shown of the newest commits. */
const MESSAGE_ROWS = 6;
const WHOLE = 3;
const MOST_LINES = 60;

interface Commit {
  readonly row: number;
  readonly hash: string;
  author: string;
  date: string;
  subject: string;
  subjectRow: number;
  messageEnd: number;
  total: string;
  last: number;
}

export function commitPlan(rows: Rows): Plan | null {
  let first = 0;
  while (first < 5 && !COMMIT.test(rows.text(first))) first++;
  if (first === 5) return null;
  const commits = commitsOf(rows);
  const [newest] = commits;
  const oldest = commits.at(-1);
  if (newest === undefined || oldest === undefined || commits.length < 2) return null;
  const whole = commits.slice(0, WHOLE).map(({ row, messageEnd, subjectRow }) => ({
    row,
    to: Math.max(subjectRow, Math.min(messageEnd, subjectRow + MESSAGE_ROWS)),
  }));
  const lines = commits
    .slice(WHOLE, -1)
    .slice(0, MOST_LINES)
    .map((commit, at) => lineOf(commit, at < 8));
  const count = `${commits.length} commits, ${oldest.date} to ${newest.date}`;
  const isPruned = rows.table.isPruned;
  const totals = commits
    .slice(0, WHOLE)
    .flatMap(({ total, messageEnd, last }) =>
      total === '' ? [] : [{ row: Math.min(messageEnd + 1, last), text: total }],
    );
  const tiers: PlanTier[] = [
    { pieces: [lineOf(oldest, false)], over: true },
    { pieces: isPruned ? [] : [{ row: oldest.row + 1, to: rows.count - 1, text: count }], over: true },
    { pieces: [...whole, ...totals], share: 0.4 },
    { pieces: lines.slice(0, 20), inOrder: true },
    ...patchTiers(rows, 0.3),
    { pieces: lines.slice(20), inOrder: true },
  ];
  return { strategy: 'element', why: 'it is a list of commits', tiers, isQuoted: true };
}

function lineOf({ row, last, hash, date, author, subject, total }: Commit, isNew: boolean): PlanPiece {
  const words = isNew && total !== '' ? ` (${total})` : '';
  return { row, to: last, text: `${hash.slice(0, 8)} ${date} ${author}: ${clipped(subject, 90)}${words}` };
}

function commitsOf(rows: Rows): Commit[] {
  const commits: Commit[] = [];
  let commit: Commit | undefined;
  for (let row = 0; row < rows.count; row++) {
    const whole = rows.text(row);
    const hash = COMMIT.exec(whole)?.[1];
    if (hash !== undefined) {
      commit = {
        row,
        hash,
        author: '',
        date: '',
        subject: '',
        subjectRow: row,
        messageEnd: row,
        total: '',
        last: row,
      };
      commits.push(commit);
    }
    if (commit === undefined) continue;
    commit.last = row;
    // In a graph, text follows the branches.
    const text = /^[*|\\/]/.test(whole)
      ? whole.replace(GRAPH, (lead) => (lead.endsWith('    ') ? '    ' : ''))
      : whole;
    if (text.startsWith('Author: '))
      commit.author = text
        .slice(8)
        .replace(/ ?<[^<>]{0,200}>$/, '')
        .trim();
    else if (/^(?:Author|Commit)?Date: /.test(text)) commit.date ||= isoDate(text);
    else if (/^ {4}\S/.test(text) && commit.total === '') {
      if (commit.subject === '') {
        commit.subject = text.trim();
        commit.subjectRow = row;
      }
      commit.messageEnd = row;
    } else if (/^ ?\d+ files? changed/.test(text)) commit.total = text.trim();
  }
  return commits;
}

function isoDate(text: string): string {
  const [, month = '', day = '', year] = DATE.exec(text) ?? [];
  if (year === undefined) return text.replace(/^\w+: +/, '').slice(0, 10);
  return `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const HASHED = /^[*|\\/_ ]{0,40}[0-9a-f]{7,12} \S/;
const ORDERED =
  /^git (?:-\S+ )*(?:log|reflog|tag|branch|for-each-ref|shortlog|stash|rev-list|ls-remote)\b|^(?:journalctl|last|lastlog|history|docker (?:ps|images)|kubectl get|gh (?:run|pr|issue) list)\b/;
const FEWEST_ROWS = 30;
const HEAD_ROWS = 70;
/** Rows in an order of time or rank: the first of them, and the last two. */
export function orderedPlan(rows: Rows, { words, isFile }: PlanFacts): Plan | null {
  if (isFile || rows.count < FEWEST_ROWS) return null;
  const isHashed = () =>
    /[0-9a-f*|]/.test(rows.text(0)[0] ?? '') && rows.share((text) => HASHED.test(text)) > 0.8;
  const isNewestFirst = ORDERED.test(words.join(' ')) || isHashed();
  if (!isNewestFirst) return null;
  const filled = rows.filled().filter((row) => /\w{3}/.test(rows.text(row)));
  const tiers: PlanTier[] = [
    { pieces: piecesOf(filled.slice(-2)), over: true },
    { pieces: piecesOf(filled.slice(0, HEAD_ROWS)) },
  ];
  return { strategy: 'element', why: 'it is a list with an order', tiers, isQuoted: false };
}
