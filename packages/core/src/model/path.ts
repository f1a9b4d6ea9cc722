/**
 * A JSONPath query (RFC 9535) as data. The library reads the query's text with an engine that a
 * host injects (`spillway` brings one); what a query means is decided in retrieval/, on the stored
 * bytes.
 */

/** Reads queries. The library has none of its own. */
export interface PathEngine {
  /** Rejects with a SpillwayError `invalid_argument` that says where a query is not valid. */
  parse(query: string): Promise<PathQuery>;
}

/** What is asked for, segment by segment from the root on. */
export interface PathQuery {
  /** Applied one after the other. */
  readonly segments: readonly PathSegment[];
}

/** `child`: of each node found so far. `descendant`: of each such node and everything below it. */
export interface PathSegment {
  /** How deep it looks. */
  readonly reach: 'child' | 'descendant';
  /** What any of them selects is found. */
  readonly selectors: readonly PathSelector[];
}

/** Which children of a value a segment selects. */
export type PathSelector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | {
      readonly kind: 'slice';
      readonly start: number | null;
      readonly end: number | null;
      readonly step: number;
    }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'filter'; readonly test: PathTest };

/** What a filter asks of a node. */
export type PathTest =
  | { readonly kind: 'and' | 'or'; readonly left: PathTest; readonly right: PathTest }
  | { readonly kind: 'not'; readonly test: PathTest }
  | { readonly kind: 'exists'; readonly query: FilterQuery }
  | {
      readonly kind: 'compare';
      readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>=';
      readonly left: PathOperand;
      readonly right: PathOperand;
    }
  | {
      readonly kind: 'match' | 'search';
      readonly text: PathOperand;
      readonly pattern: PathOperand;
    };

/** A query inside a filter, from the node asked about or from the root. */
export interface FilterQuery extends PathQuery {
  /** Where it begins. */
  readonly from: 'current' | 'root';
}

/** One side of a comparison, or an argument of a function. */
export type PathOperand =
  | { readonly kind: 'string'; readonly value: string }
  /** As written in the query, so that long integers are compared exactly. */
  | { readonly kind: 'number'; readonly written: string }
  | { readonly kind: 'constant'; readonly value: boolean | null }
  /** A query that finds at most one node. */
  | { readonly kind: 'node'; readonly query: FilterQuery }
  | { readonly kind: 'length'; readonly of: PathOperand }
  | { readonly kind: 'count' | 'value'; readonly query: FilterQuery };
