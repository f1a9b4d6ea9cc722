/** How many bytes of a text are looked at to tell what it is. */
export const SAMPLE_BYTES = 8_192;

/** What a text is. Formats of others add their own names. */
export type ContentKind =
  | 'json'
  | 'ndjson'
  | 'xml'
  | 'html'
  | 'csv'
  | 'tsv'
  | 'table'
  | 'listing'
  | 'hits'
  | 'diff'
  | 'log'
  | 'test'
  | 'compiler'
  | 'trace'
  | 'code'
  | 'prose'
  | 'binary'
  | 'text'
  | (string & Record<never, never>);

/** What a text was recognised as. */
export interface Detected {
  /** The kind of content. */
  readonly kind: ContentKind;
  /** A finer name where there is one: a language family, the separator of a table. */
  readonly detail?: string;
}
