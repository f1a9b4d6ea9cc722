/**
 * A format is a kind of text whose grammar we know, such as JSON, a table or a diff. One object
 * holds all of it: how the text is recognised, what of it is kept, how a piece is addressed and how
 * a gap is marked. Detection, projection and retrieval ask the list of formats and know none by
 * name.
 */
import type { ContentKind, Detected } from './content.ts';
import type { ByteRange } from './extent.ts';
import type { PathEngine } from './path.ts';
import type { PatternEngine } from './pattern.ts';
import type { Plan, PlanFacts, PlanRows } from './plan.ts';
import type { MatchSink, StoredText } from './stored-text.ts';
import type { FormatStrategy, Grammar } from './strategy.ts';
import type { TableRows } from './table-rows.ts';
import type { SampleLine, TextSample } from './text-sample.ts';

/** Everything that is known about one format. */
export interface Format {
  /** Unique in the list: the name of its folder. */
  readonly name: string;
  /** The kinds of content that it recognises; most formats have one, named like the format. */
  readonly kinds: readonly ContentKind[];
  /** File names, media types and tools that lead one to expect the format. */
  readonly hints?: readonly FormatHint[];
  /** Shapes of lines that programs print, one entry a kind. They need no recogniser. */
  readonly shapes?: readonly LineShapes[];
  /** Tests that tell the format by its text. */
  readonly recognisers?: readonly Recogniser[];
  /**
   * What is shown of a text by its lines; null if it does not follow the format. Without `plan` and
   * `keep` the text strategy decides.
   */
  plan?(rows: PlanRows, facts: PlanFacts): Plan | null;
  /** By row: what is worth keeping of a text that is too long to be held whole. */
  worth?(table: TableRows): Float32Array;
  /** The same as `plan` for documents, which are read as trees. */
  keep?(detected: Detected): FormatStrategy;
  /** A cut text must stay valid. It decides for every tool, unless a strategy was chosen. */
  readonly staysValid?: true;
  /** Writes gaps and the notice where lines of our own would break the text. */
  readonly grammar?: Grammar;
  /**
   * Whether lines about errors are the tool's own words (a log), or only quoted (source code,
   * search hits). Without it they count if the command failed.
   */
  readonly errorLines?: 'own' | 'quoted';
  /** The name of content that is not shown because it is not legible; null if it is. */
  withheld?(detected: Detected): string | null;
  /** How a piece of a stored text is asked for. */
  readonly address?: FormatAddress;
}

/** Weak evidence: it lowers the bar for a kind and settles what the text leaves open. */
export interface FormatHint {
  /** The kind that is to be expected. */
  readonly kind: ContentKind;
  /** A finer name that the file name tells: the family of a language. */
  readonly detail?: string;
  /** Without a dot, in lower case. */
  readonly extensions?: readonly string[];
  /** Matches the media type of a part. */
  readonly mediaTypes?: RegExp;
  /** Matches the tool's name in snake_case. */
  readonly tools?: RegExp;
  /** Commands print it. */
  readonly ofCommands?: true;
}

/** What a hint leads one to expect. */
export interface Expected {
  /** The kind of content. */
  readonly kind: ContentKind;
  /** A finer name, such as the family of a language. */
  readonly detail?: string;
}

/**
 * One test for a format. Recognisers are asked in the order of their confidence, those of equal
 * confidence in the order of the list; the first answer counts.
 */
export interface Recogniser {
  /** From 0 to 1. `CONFIDENCE` names the steps that the built-in formats use. */
  readonly confidence: number;
  /** What the sample is; null where it is something else. */
  recognise(sample: TextSample, evidence: Evidence): Detected | null;
}

/** How sure a recogniser is, in words. */
export const CONFIDENCE = {
  /** The sample follows a grammar from its first byte on. */
  grammar: 1,
  /** It has lines that hardly mean anything else, such as the head of a diff. */
  marks: 0.95,
  /** Nearly every line has a shape that little else has. */
  lines: 0.9,
  /** Every row has as many separators. */
  separators: 0.7,
  /** Many lines have shapes that programs print. */
  printed: 0.6,
  /** Columns line up. */
  columns: 0.5,
  /** It looks as if a person had written it. */
  writing: 0.4,
  /** Nothing else fits, and a hint says so. */
  hint: 0.3,
} as const;

/** What is known of a sample beyond its bytes. Computed when it is first asked for. */
export interface Evidence {
  /** What file name, media type and tool lead one to expect, the strongest first. */
  readonly expected: readonly Expected[];
  /** How many lines have the shapes of a kind. */
  readonly shapes: ShapeScore;
  /** The first kind whose shapes enough lines have. */
  readonly shaped: ContentKind | null;
  /** The kind with the strongest error lines, if there are many of them together. */
  readonly salient: ContentKind | null;
  /** Lines that are source code or comments; 0 unless the sample is mostly source code. */
  readonly sourceLines: number;
  /** Whether the sample is mostly source code. */
  readonly isSource: boolean;
  /** Source code, prose, or neither plainly: `text`. */
  readonly written: Detected;
  /** Whether some line looks like code or like a comment. */
  readonly hasCodeLines: boolean;
  /** Whether a program coloured or redrew lines for a terminal. */
  readonly isForTerminal: boolean;
  /** Whether most of it is JSON behind other words. */
  readonly holdsJson: boolean;
}

/** How many lines have a shape of the format. */
export interface ShapeScore {
  /** Lines of the sample. */
  readonly lines: number;
  /** Lines that a terminal would colour or overwrite. */
  readonly controlled: number;
  /** Lines with the tool's own words on errors, of any such kind, each at most once. */
  readonly salient: number;
  /** The sum of the weights of the lines that have a shape of the kind. */
  weight(kind: ContentKind): number;
  /** Lines that have any shape of the kind. */
  covered(kind: ContentKind): number;
  /** Lines that have a shape of about full weight. */
  plain(kind: ContentKind): number;
}

/** The shapes of one kind, and how much of a sample must have them. */
export interface LineShapes {
  /** The kind that the shapes belong to. */
  readonly kind: ContentKind;
  /** All patterns of equal weight in one, the heaviest first. Weight 1: most lines look so. */
  readonly weighted: readonly (readonly [weight: number, pattern: RegExp])[];
  /** Further signs that a line has full weight, e.g. a time stamp in front of it. */
  isShaped?(line: SampleLine): boolean;
  /** Weight needed a line; a hint halves it. */
  readonly share: number;
  /** Share of the lines that must have a shape of about full weight. */
  readonly plain: number;
  /** Share of the lines that must have any shape of the kind. */
  readonly cover: number;
  /** Weight needed in all. */
  readonly least: number;
}

/** How a piece of a stored text is asked for, and how it is found. */
export interface FormatAddress {
  /** The argument of a fetch, e.g. `json_path`. */
  readonly argument: string;
  /** What the argument holds: a path or name, or a range of numbers such as `100-200`. */
  readonly value: 'text' | 'range';
  /** Tells a model when to use the argument, with an example. */
  readonly description: string;
  /** What is found, in the singular: `match`. */
  readonly unit: string;
  /** The same in the plural: `matches`. */
  readonly units: string;
  /** Written behind each thing that is found. */
  readonly ending: '\n' | '';
  /** The patterns engine is needed, and loaded before `find`. */
  readonly usesPatterns?: true;
  /** Tells a sink of every piece that the argument asks for. */
  find<Sink extends MatchSink>(stored: StoredText, search: Search<Sink>): Promise<Found<Sink>>;
}

/** A search by path in a stored text. */
export interface Search<Sink extends MatchSink> {
  /** The argument, where it is a text; else empty. */
  readonly text: string;
  /** From 1 and inclusive; everything, where the argument is a text. */
  readonly range: { readonly first: number; readonly last: number };
  /** A byte behind the first `before` things, where the search may begin; 0 for the start. */
  readonly resume: { readonly from: number; readonly before: number };
  /** Makes an empty sink. The one that holds the result is given back. */
  readonly sink: () => Sink;
  /** The pattern engine, where the host has one. */
  readonly patterns: PatternEngine | null;
  /** The path engine, where the host has one. */
  readonly paths: PathEngine | null;
}

/** What a search by path came to. */
export interface Found<Sink extends MatchSink> {
  /** The sink that was told of them. */
  readonly matches: Sink;
  /** How many there are, where the sink was not told of all. */
  readonly total?: number;
  /** Shown above the matches on every page: the header of a table. */
  readonly header?: ByteRange;
  /** Adds to what a page says of its place, or replaces it: `matches 1-3 of 9`. */
  describe?(words: string, isFirst: boolean): string;
}
