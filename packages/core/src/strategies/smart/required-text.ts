/**
 * What every match of a regular expression in ASCII text must hold: some short texts, one of which
 * stands in whatever it matches. Found from its source, so that a line without any of them need not
 * be tried. Texts are folded as a stem table folds them: lower case, 0 for any digit. In doubt
 * nothing is promised (null); an empty list says that ASCII text cannot match.
 */

/** More texts than that say too little; longer ones say no more. */
const MOST_TEXTS = 120;
const MOST_EXACT = 64;
const LONGEST = 12;
const SHORTEST = 2;
/** `x{2,4}` is all that it can be; of more, what it is at the least. */
const FEW_MORE = 2;

/** What a piece of a pattern matches. */
interface Reach {
  /** All that it can match, where that is a few texts; null where it is not. */
  readonly exact: readonly string[] | null;
  /** Texts of which every match holds one; null where there are none. */
  readonly held: readonly string[] | null;
}

/** White space inside a line of ASCII. */
const SPACES: Reach = { exact: [' ', '\t', '\v', '\f'], held: null };
const NEVER: Reach = { exact: [], held: null };
const ANYTHING: Reach = { exact: null, held: null };
const NOTHING: Reach = { exact: [''], held: null };

export function requiredTexts({ source, flags }: RegExp): readonly string[] | null {
  if (flags.includes('v')) return null;
  const parser = new PatternParser(source);
  const { exact, held } = parser.alternatives();
  return parser.isUnderstood ? shortened(better(worthy(exact), held)) : null;
}

/** Reads a pattern from left to right. What it does not know matches anything. */
class PatternParser {
  readonly #source: string;
  #at = 0;
  isUnderstood = true;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): Reach {
    const all = [this.#sequence()];
    while (this.#take('|')) all.push(this.#sequence());
    const exact = all.every((each) => each.exact !== null)
      ? limited(all.flatMap((each) => each.exact ?? []))
      : null;
    const held = all.map((each) => better(worthy(each.exact), each.held));
    return {
      exact,
      held: held.every((texts) => texts !== null) ? held.flatMap((texts) => texts ?? []) : null,
    };
  }

  /** What follows each other is joined as long as all of it is known. */
  #sequence(): Reach {
    let joined: readonly string[] = [''];
    let held: readonly string[] | null = null;
    let isExact = true;
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      const { item, repeats } = this.#repeated();
      const longer: readonly string[] | null = item.exact === null ? null : product(joined, item.exact);
      if (longer === null || repeats) {
        isExact = false;
        held = better(held, better(worthy(longer ?? joined), item.held));
        joined = repeats || longer !== null ? [''] : (item.exact ?? ['']);
      } else joined = longer;
    }
    return { exact: isExact ? joined : null, held: better(held, isExact ? null : worthy(joined)) };
  }

  /** One item with its quantifier. `repeats`: more of it may follow. */
  #repeated(): { readonly item: Reach; readonly repeats: boolean } {
    const item = this.#item();
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (found === null) return { item, repeats: false };
    this.#at += found[0].length;
    const [, sign, from, comma, to] = found;
    const least = sign === undefined ? Number(from) : sign === '+' ? 1 : 0;
    const most = sign === undefined ? (comma === '' ? least : Number(to || 99)) : sign === '?' ? 1 : 99;
    if (least === 0) return { item: most === 1 ? optional(item) : ANYTHING, repeats: most > 1 };
    let exact = item.exact;
    for (let i = 1; i < least && exact !== null; i++) exact = product(exact, item.exact ?? []);
    if (most > least + FEW_MORE || exact === null)
      return { item: { exact, held: item.held }, repeats: most > least };
    let longest: readonly string[] | null = exact;
    let all: readonly string[] | null = exact;
    for (let i = least; i < most && all !== null; i++) {
      longest = longest === null ? null : product(longest, item.exact ?? []);
      all = longest === null ? null : limited([...all, ...longest]);
    }
    return all === null
      ? { item: { exact, held: item.held }, repeats: true }
      : { item: { exact: all, held: item.held }, repeats: false };
  }

  #item(): Reach {
    const char = this.#source[this.#at++] ?? '';
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    if (char === '\\') return this.#escape();
    if (char === '^' || char === '$') return NOTHING;
    return char === '.' ? ANYTHING : this.#char(char);
  }

  #group(): Reach {
    const opening = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.#source.slice(this.#at))?.[0] ?? '';
    this.#at += opening.length;
    if (opening === '' && this.#source[this.#at] === '?') this.isUnderstood = false;
    const inner = this.alternatives();
    this.#take(')');
    return opening === '' || opening === '?:' || opening.endsWith('>') ? inner : NOTHING;
  }

  #class(): Reach {
    const start = this.#at;
    while (this.#source[this.#at] !== ']') this.#at += this.#source[this.#at] === '\\' ? 2 : 1;
    const inside = this.#source.slice(start, this.#at++);
    const isPlain =
      !inside.startsWith('^') && !/\\[^\]\\[/|.()^$*+?-]/.test(inside) && !/[^\\]-./.test(inside);
    if (inside === '0-9' || inside === '1-9') return { exact: ['0'], held: null };
    if (!isPlain) return ANYTHING;
    const reaches = [...inside.replaceAll(/\\(.)/g, '$1')].map((char) => this.#char(char));
    if (reaches.some(({ exact }) => exact === null)) return ANYTHING;
    return { exact: limited(reaches.flatMap(({ exact }) => exact ?? [])), held: null };
  }

  #escape(): Reach {
    const char = this.#source[this.#at++] ?? '';
    if (char === 'b' || char === 'B') return NOTHING;
    if (char === 'd') return { exact: ['0'], held: null };
    if (char === 's') return SPACES;
    if (/[A-Za-z0-9]/.test(char)) return this.#longEscape(char);
    return this.#char(char);
  }

  /** `\p{L}`, `\u001b`, `\x1b`, a back reference: anything, and read to its end. */
  #longEscape(char: string): Reach {
    const rest = /^(?:\{[^}]*\}|[0-9A-Fa-f]{4})/.exec(this.#source.slice(this.#at))?.[0] ?? '';
    if (/[pPu]/.test(char)) this.#at += rest.length;
    else if (char === 'x') this.#at += 2;
    else if (!/[wWSDnrtfv]/.test(char)) this.isUnderstood = false;
    return ANYTHING;
  }

  #char(char: string): Reach {
    const code = char.charCodeAt(0);
    if (code >= 0x80) return NEVER;
    return code < 0x20 ? ANYTHING : { exact: [folded(char)], held: null };
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}

function optional({ exact }: Reach): Reach {
  return { exact: exact === null ? null : limited([...exact, '']), held: null };
}

function folded(char: string): string {
  return /\d/.test(char) ? '0' : /[A-Z]/.test(char) ? char.toLowerCase() : char;
}

function product(before: readonly string[], after: readonly string[]): readonly string[] | null {
  return before.length * after.length > MOST_EXACT
    ? null
    : limited(before.flatMap((first) => after.map((second) => first + second)));
}

function limited(texts: readonly string[]): readonly string[] | null {
  const distinct = [...new Set(texts)];
  return distinct.length > MOST_EXACT ? null : distinct;
}

/** Texts that are long enough to tell something. */
function worthy(texts: readonly string[] | null): readonly string[] | null {
  return texts?.every((text) => text.length >= SHORTEST) === true ? texts : null;
}

/** Those of two that tell more: the longer, and of equal ones the fewer. */
function better(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null || b === null) return a ?? b;
  const length = (texts: readonly string[]) => Math.min(6, ...texts.map((text) => text.length));
  return length(b) > length(a) || (length(b) === length(a) && b.length < a.length) ? b : a;
}

/** Without those that hold another of them. */
function shortened(texts: readonly string[] | null): readonly string[] | null {
  const short = [...new Set((texts ?? []).map((text) => text.slice(0, LONGEST)))];
  const needed = short.filter((text) => !short.some((other) => other !== text && text.includes(other)));
  return texts === null || needed.length > MOST_TEXTS ? null : needed;
}
