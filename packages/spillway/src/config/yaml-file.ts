/**
 * A YAML file as maps with line numbers. Aliases and merge keys are followed where they are read and nowhere else, so that a file cannot
 * make more of itself than it is. The YAML library is loaded with the first file: most runs have none.
 */
import type { Document, Node, Pair } from 'yaml';
import type { Problems } from './problems.ts';

type Yaml = typeof import('yaml');

export interface Entry {
  readonly key: string;
  readonly value: Node | null;
  /** `file:line` of the key. */
  readonly at: string;
}

export class YamlFile {
  readonly name: string;
  readonly #yaml: Yaml;
  readonly #document: Document;
  readonly #lineOf: (offset: number) => number;

  private constructor(name: string, yaml: Yaml, document: Document, lineOf: (offset: number) => number) {
    this.name = name;
    this.#yaml = yaml;
    this.#document = document;
    this.#lineOf = lineOf;
  }

  /** Null if it is not YAML, which is then one of the problems. */
  static async parse(name: string, text: string, problems: Problems): Promise<YamlFile | null> {
    const yaml = await import('yaml');
    const lines = new yaml.LineCounter();
    const lineOf = (offset: number) => lines.linePos(offset).line;
    try {
      const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
      const [error] = document.errors;
      if (error === undefined) return new YamlFile(name, yaml, document, lineOf);
      const [start] = error.pos;
      problems.add(`${name}:${lineOf(start)}: ${sentence(error.code, error.message, text.slice(start))}`);
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

  /** The entries of a map; null if it is none. An entry of its own goes before one that is merged in. */
  entries(node: Node | null): Entry[] | null {
    if (!this.#yaml.isMap(node)) return null;
    const found = new Map<string, Entry>();
    const seen = new Set<Node>();
    const collect = (map: Node | null): void => {
      if (!this.#yaml.isMap(map) || seen.has(map)) return;
      seen.add(map);
      const pairs = map.items as Pair<Node | null, Node | null>[];
      for (const pair of pairs.filter(({ key }) => !this.#isMerge(key))) {
        const entry = this.#entry(pair, map);
        if (!found.has(entry.key)) found.set(entry.key, entry);
      }
      for (const { value } of pairs.filter(({ key }) => this.#isMerge(key))) {
        const merged = this.#followed(value);
        for (const one of this.#yaml.isSeq(merged) ? (merged.items as (Node | null)[]) : [merged])
          collect(this.#followed(one));
      }
    };
    collect(node);
    return [...found.values()];
  }

  /** The elements of a list; null if it is none. */
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

  #entry({ key, value }: Pair<Node | null, Node | null>, map: Node): Entry {
    const known = this.#followed(key);
    const name = this.#yaml.isScalar(known) ? String(known.value) : '';
    return { key: name, value: this.#followed(value), at: this.#at(key ?? map) };
  }

  /** `file:line` of a node. */
  #at({ range }: Node): string {
    return `${this.name}:${this.#lineOf(range?.[0] ?? 0)}`;
  }

  #isMerge(key: Node | null): boolean {
    return this.#yaml.isScalar(key) && key.value === '<<';
  }

  #followed(node: Node | null): Node | null {
    return this.#yaml.isAlias(node) ? (node.resolve(this.#document) ?? null) : node;
  }
}

/** The library's sentence; it quotes nothing of the file but the key that is there twice. */
function sentence(code: string, message: string, from: string): string {
  if (code === 'DUPLICATE_KEY') {
    const [, key = ''] = /^["']?([^"':\r\n]{1,60})/.exec(from) ?? [];
    return `${key.trim()} is there twice.`;
  }
  return `it is not YAML: ${message.replace(/\s+/g, ' ').replace(/[.:]?$/, '.')}`;
}
