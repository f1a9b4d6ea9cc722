/**
 * The paths that the head of a diff names, as people write them: without `a/` and `b/`, unquoted;
 * and which of them a question means.
 */
import { matchesGlob } from '../../text/glob.ts';

export function meansFile(wanted: string, names: Iterable<string>): boolean {
  const isPattern = /[*?]/.test(wanted);
  for (const name of names) if (name === wanted || (isPattern && matchesGlob(wanted, name))) return true;
  return false;
}

export function namesIn(line: string): string[] {
  const named = /^(?:--- |\+\+\+ |rename (?:from|to) |copy (?:from|to) |Index: )(.+)$/.exec(line);
  if (named?.[1] !== undefined) {
    const path = unquote(named[1]).replace(/\t[\s\S]*/, '');
    if (path === '/dev/null') return [];
    return line.startsWith('--- ') || line.startsWith('+++ ') ? withAndWithoutSide(path) : [path];
  }
  const git = /^diff --(?:git|cc|combined) (.+)$/.exec(line);
  return git?.[1] === undefined ? [] : pathsOfGit(git[1]);
}

function withAndWithoutSide(path: string): string[] {
  const bare = path.replace(/^[abciow]\//, '');
  return bare === path ? [path] : [bare, path];
}

/** Blanks make it ambiguous, but both sides are equal unless other lines name the file. */
function pathsOfGit(text: string): string[] {
  if (text.startsWith('"'))
    return [...text.matchAll(/"(?:[^"\\]|\\.)*"?|[^\s"]\S*/g)].flatMap(([word]) =>
      withAndWithoutSide(unquote(word)),
    );
  const middle = (text.length - 1) / 2;
  const [left, right] = [text.slice(0, middle), text.slice(middle + 1)];
  if (text[middle] === ' ' && left.slice(1) === right.slice(1)) return withAndWithoutSide(left).concat(right);
  return text.includes(' b/') ? [] : [text];
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Git quotes paths with unusual characters, byte by byte. */
function unquote(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/s.exec(text)?.[1];
  if (quoted === undefined) return text;
  const bytes: Uint8Array[] = [];
  for (const [whole, octal, char] of quoted.matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Uint8Array.of(Number.parseInt(octal, 8)));
    else if (char !== undefined)
      bytes.push(Buffer.from(ESCAPES[char] === undefined ? char : String.fromCharCode(ESCAPES[char])));
    else bytes.push(Buffer.from(whole));
  }
  return Buffer.concat(bytes).toString('utf8');
}
