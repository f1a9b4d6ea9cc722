/**
 * Diagnostics of compilers and linters, told by their shape and not by the tool: a place, then what
 * is wrong there. Those that say the same, paths, numbers and quoted names apart, are of one kind.
 * Kinds and a few places of each are remembered in bounded memory.
 */
import { mostSameInChars, sameInWords } from '../../wording/alike.ts';

/** All diagnostics of one kind. */
export interface DiagnosticGroup {
  /** Unlike that of any other group, and below 0. */
  readonly id: number;
  count: number;
  /** The first of them, and the first in each of some more files. */
  readonly members: DiagnosticMember[];
}

interface DiagnosticMember {
  /** Where its line begins in the part, in bytes. */
  readonly start: number;
  readonly file: string;
  /** Where in a source it is. */
  readonly location: string;
}

const MOST_KINDS = 5_000;
const FIRST_MEMBERS = 6;
const MOST_MEMBERS = 24;
/** Longer places are not listed. */
const LONGEST_LOCATION = 80;

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

export class Diagnostics {
  readonly #groups = new Map<string, DiagnosticGroup>();

  /**
   * Counts a line if it is a diagnostic; null if it is none. `start`: where it begins; `heading`:
   * the line it stands under.
   */
  count(text: string, start: number, heading: () => string): DiagnosticGroup | null {
    const found = PLACED.exec(text) ?? LISTED.exec(text);
    const [path = '', line = '', message] =
      found === null
        ? ['', '', ALONE.exec(text)?.[1]]
        : found.length > 3
          ? found.slice(1)
          : ['', ...found.slice(1)];
    if (message === undefined) return null;
    const kind = kindOf(message);
    const group = this.#groups.get(kind) ?? { id: -1 - this.#groups.size, count: 0, members: [] };
    if (group.count === 0 && this.#groups.size < MOST_KINDS) this.#groups.set(kind, group);
    group.count++;
    const file = path === '' && line !== '' ? heading() : path;
    const location = file === '' ? line : `${file}:${line}`;
    if (location.length <= LONGEST_LOCATION) remember(group.members, { start, file, location });
    return group;
  }
}

/** Files tell more than lines of one file: behind the first few only the first of a file counts. */
function remember(members: DiagnosticMember[], member: DiagnosticMember): void {
  if (members.length >= MOST_MEMBERS) return;
  if (members.length < FIRST_MEMBERS || members.every(({ file }) => file !== member.file))
    members.push(member);
}

/** Whether a line is a diagnostic that does not name its file: that stands above it. */
export function isListed(text: string): boolean {
  return LISTED.test(text);
}

/** What a message says with paths, numbers and quoted names folded. */
function kindOf(message: string): string {
  return message.slice(0, 300).replaceAll(QUOTED, '‹›').replaceAll(PATH, '/').replaceAll(/\b\d+/g, '0');
}

/** How many places are listed of those that are not shown, and how long that may get. */
const LISTED_LOCATIONS = 6;
export const LISTED_CHARS = 70;

/**
 * `the same in 95 more lines: src/a.ts:12, src/b.ts:4 … and 93 more`; null where all of them are
 * shown.
 */
export function alikeWords(
  { count, members }: DiagnosticGroup,
  shown: ReadonlySet<number>,
  listedChars: number,
): string | null {
  const more = count - shown.size;
  if (more <= 0) return null;
  const locations: string[] = [];
  let chars = 0;
  for (const { location } of byFile(members, shown)) {
    if (location === '' || locations.length >= LISTED_LOCATIONS) continue;
    if (chars + location.length + 2 > listedChars) continue;
    chars += location.length + 2;
    locations.push(location);
  }
  return sameInWords(more, locations);
}

/** Those that are not shown: first one of each file of which nothing is shown. */
function byFile(
  members: readonly DiagnosticMember[],
  shown: ReadonlySet<number>,
): readonly DiagnosticMember[] {
  const isShown = ({ start }: DiagnosticMember) => shown.has(start);
  const named = new Set(members.filter(isShown).map(({ file }) => file));
  const hidden = members.filter((member) => !isShown(member));
  const isNew = hidden.map(({ file }) => !named.has(file) && Boolean(named.add(file)));
  return [...hidden.filter((_, i) => isNew[i]), ...hidden.filter((_, i) => !isNew[i])];
}

/** The most chars that these words can have with so many for places, whatever is shown. */
export function mostAlikeChars({ count }: DiagnosticGroup, listedChars: number): number {
  return mostSameInChars(count, listedChars);
}
