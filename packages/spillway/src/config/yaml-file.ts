/**
 * A YAML file as maps with line numbers. Aliases and merge keys are followed where they are read
 * and nowhere else, and only so often, so that a file cannot make more of itself than it is. The
 * time to read one grows with its length, not faster. The YAML library is loaded with the first
 * file: most runs have none.
 */
import type { Document, Node, Pair } from 'yaml';
import type { ConfigFile } from './locations.ts';
import { invalid, type Problems } from './problems.ts';

type Yaml = typeof import('yaml');

export interface Reading {
  readonly file: ConfigFile;
  readonly yaml: YamlFile;
  readonly userFile: string;
  readonly home: string | null;
  readonly problems: Problems;
}

export interface Entry {
  readonly key: string;
  readonly value: Node | null;
  /** `file:line` of the key. */
  readonly at: string;
}

/** Levels of nesting; a file with settings has five. */
const DEEPEST = 100;
/** Entries that may be read of one file, those included that aliases and merge keys repeat. */
const MOST_ENTRIES = 100_000;

export class YamlFile {
  readonly name: string;
  readonly #yaml: Yaml;
  readonly #document: Document;
  readonly #lineOf: (offset: number) => number;
  readonly #problems: Problems;
  /** Maps that were looked through for keys that are there twice. */
  readonly #checked = new Set<Node>();
  #targets: ReadonlyMap<Node, Node> | null = null;
  #entriesRead = 0;

  private constructor(
    name: string,
    yaml: Yaml,
    document: Document,
    lineOf: (offset: number) => number,
    problems: Problems,
  ) {
    this.name = name;
    this.#yaml = yaml;
    this.#document = document;
    this.#lineOf = lineOf;
    this.#problems = problems;
  }

  /** Null if it is not YAML, which is then one of the problems. */
  static async parse(name: string, text: string, problems: Problems): Promise<YamlFile | null> {
    const yaml = await import('yaml');
    const lines = new yaml.LineCounter();
    const lineOf = (offset: number) => lines.linePos(offset).line;
    if (text.includes('\0')) {
      problems.add(`${name}: it is not YAML in UTF-8: save it in that encoding.`);
      return null;
    }
    try {
      const tooDeep = nestedTooDeeply(text);
      if (tooDeep !== null) {
        problems.add(`${name}:${tooDeep}: it is nested too deeply: at most ${DEEPEST} levels.`);
        return null;
      }
      // The library looks for equal keys by comparing each with all others; `entries` does it once.
      const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
      const document = yaml.parseDocument(text, options);
      const [error] = document.errors;
      if (error === undefined) return new YamlFile(name, yaml, document, lineOf, problems);
      const [start] = error.pos;
      problems.add(`${name}:${lineOf(start)}: ${sentence(error.message)}`);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.add(`${name}: it is nested too deeply to be read.`);
    }
    return null;
  }

  get document(): Document {
    return this.#document;
  }

  get root(): Node | null {
    return this.#followed(this.#document.contents);
  }

  /**
   * The entries of a map; null if it is none. An entry of its own goes before one that is merged
   * in.
   */
  entries(node: Node | null): Entry[] | null {
    if (!this.#yaml.isMap(node)) return null;
    const found = new Map<string, Entry>();
    const seen = new Set<Node>();
    const collect = (map: Node | null): void => {
      if (!this.#yaml.isMap(map) || seen.has(map)) return;
      seen.add(map);
      const pairs = map.items as Pair<Node | null, Node | null>[];
      const own = pairs.filter(({ key }) => !this.#isMerge(key)).map((pair) => this.#entry(pair, map));
      this.#countEntries(own.length);
      this.#tellRepeated(map, own);
      for (const entry of own) if (!found.has(entry.key)) found.set(entry.key, entry);
      for (const { value } of pairs.filter(({ key }) => this.#isMerge(key))) {
        const merged = this.#followed(value);
        for (const one of this.#yaml.isSeq(merged) ? (merged.items as (Node | null)[]) : [merged])
          collect(this.#followed(one));
      }
    };
    collect(node);
    return [...found.values()];
  }

  elements(node: Node | null): Omit<Entry, 'key'>[] | null {
    const list = this.#followed(node);
    if (!this.#yaml.isSeq(list)) return null;
    return (list.items as (Node | null)[]).map((item) => ({
      value: this.#followed(item),
      at: this.#at(item ?? list),
    }));
  }

  /** The value of a scalar; what is none comes out as an object. */
  scalar(node: Node | null): unknown {
    if (node === null) return null;
    return this.#yaml.isScalar(node) ? node.value : {};
  }

  /** Whether there is nothing: no node, or one that says null. */
  isEmpty(node: Node | null): boolean {
    return node === null || (this.#yaml.isScalar(node) && node.value === null);
  }

  #countEntries(more: number): void {
    this.#entriesRead += more;
    if (this.#entriesRead > MOST_ENTRIES)
      throw invalid(`${this.name}: aliases and merge keys make too much of it. Write less of it out.`);
  }

  #tellRepeated(map: Node, entries: readonly Entry[]): void {
    if (this.#checked.has(map)) return;
    this.#checked.add(map);
    const seen = new Set<string>();
    for (const { key, at } of entries) {
      if (seen.has(key)) this.#problems.add(`${at}: ${key.slice(0, 60)} is there twice.`);
      seen.add(key);
    }
  }

  #entry({ key, value }: Pair<Node | null, Node | null>, map: Node): Entry {
    const known = this.#followed(key);
    const name = this.#yaml.isScalar(known) ? String(known.value) : '';
    return { key: name, value: this.#followed(value), at: this.#at(key ?? map) };
  }

  #at({ range }: Node): string {
    return `${this.name}:${this.#lineOf(range?.[0] ?? 0)}`;
  }

  #isMerge(key: Node | null): boolean {
    return this.#yaml.isScalar(key) && key.value === '<<';
  }

  #followed(node: Node | null): Node | null {
    if (!this.#yaml.isAlias(node)) return node;
    this.#targets ??= targetsOf(this.#yaml, this.#document);
    return this.#targets.get(node) ?? null;
  }
}

/**
 * What each alias stands for: the last node before it that has its name. All of them in one walk.
 */
function targetsOf(yaml: Yaml, document: Document): ReadonlyMap<Node, Node> {
  const named = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  yaml.visit(document, {
    Node(_, node) {
      if (yaml.isAlias(node)) {
        const target = named.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (node.anchor !== undefined) named.set(node.anchor, node);
    },
  });
  return targets;
}

/**
 * The line where brackets, or dashes and question marks on one line, nest too deeply; null if none
 * do. Told from the text alone, before the library recurses into it: quoted brackets count too, and
 * no file with settings has so many.
 */
function nestedTooDeeply(text: string): number | null {
  let brackets = 0;
  let line = 1;
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\n') {
      line += 1;
      marks = 0;
    } else if (char === '[' || char === '{') brackets += 1;
    else if (char === ']' || char === '}') brackets = Math.max(0, brackets - 1);
    else if ((char === '-' || char === '?') && /^\s?$/.test(text[at + 1] ?? '')) marks += 1;
    if (brackets > DEEPEST || marks > DEEPEST) return line;
  }
  return null;
}

/** The library's sentence; a long one quotes the file. */
function sentence(message: string): string {
  return `it is not YAML: ${message
    .slice(0, 150)
    .replace(/\s+/g, ' ')
    .replace(/[.:]?$/, '.')}`;
}
