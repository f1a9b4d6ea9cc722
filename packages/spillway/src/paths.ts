/**
 * JSONPath queries (RFC 9535) are read by json-p3: its grammar and its check of types. What it has
 * read is turned into data for the core, which evaluates queries itself, on stored bytes and within
 * bounds. Loaded when the first query is read.
 */

import { SpillwayError } from '@spillway/core';
import type {
  FilterQuery,
  PathEngine,
  PathOperand,
  PathQuery,
  PathSelector,
  PathTest,
} from '@spillway/core/plugin';
import type { JSONPathQuery, jsonpath } from 'json-p3';

type Library = typeof jsonpath;
type Selector = jsonpath.JSONPathSelector;
type Expression = jsonpath.expressions.FilterExpression;
type Operator = Extract<PathTest, { kind: 'compare' }>['operator'];

const OPERATORS: readonly string[] = ['==', '!=', '<', '<=', '>', '>='];

/** A path engine on json-p3. */
export function jsonPaths(): PathEngine {
  return {
    async parse(query) {
      const { jsonpath: library } = await import('json-p3');
      try {
        return new Translation(library).query(
          new library.JSONPathEnvironment({ strict: true }).compile(query),
        );
      } catch (error) {
        throw refusal(library, error);
      }
    },
  };
}

function refusal(library: Library, error: unknown): unknown {
  if (error instanceof library.JSONPathError) {
    const why = error.message.replace(/ ?\('[\s\S]*/, '').slice(0, 200);
    return invalid(`at char ${Math.max(0, error.token.index) + 1}: ${why}`);
  }
  return error instanceof RangeError ? invalid('it is nested too deeply') : error;
}

function invalid(why: string): SpillwayError {
  return new SpillwayError('invalid_argument', `json_path is not a valid JSONPath (RFC 9535), ${why}.`);
}

/** From the library's classes to the data of the core. */
class Translation {
  readonly #library: Library;

  constructor(library: Library) {
    this.#library = library;
  }

  query({ segments }: JSONPathQuery): PathQuery {
    const { TokenKind } = this.#library;
    return {
      segments: segments.map(({ token, selectors }) => ({
        reach: token.kind === TokenKind.DDOT ? 'descendant' : 'child',
        selectors: selectors.map((selector) => this.#selector(selector)),
      })),
    };
  }

  #selector(selector: Selector): PathSelector {
    const { selectors } = this.#library;
    if (selector instanceof selectors.NameSelector) return { kind: 'name', name: selector.name };
    if (selector instanceof selectors.IndexSelector) return { kind: 'index', index: selector.index };
    if (selector instanceof selectors.SliceSelector) {
      const { start, stop, step } = selector;
      return { kind: 'slice', start: start ?? null, end: stop ?? null, step: step ?? 1 };
    }
    if (selector instanceof selectors.WildcardSelector) return { kind: 'wildcard' };
    if (selector instanceof selectors.FilterSelector)
      return { kind: 'filter', test: this.#test(selector.expression) };
    throw invalid('it has a selector that is not known here');
  }

  #test(expression: Expression): PathTest {
    const { expressions } = this.#library;
    if (expression instanceof expressions.LogicalExpression) return this.#test(expression.expression);
    if (expression instanceof expressions.PrefixExpression)
      return { kind: 'not', test: this.#test(expression.right) };
    if (expression instanceof expressions.InfixExpression) return this.#infix(expression);
    if (expression instanceof expressions.FilterQuery)
      return { kind: 'exists', query: this.#filterQuery(expression) };
    if (expression instanceof expressions.FunctionExtension) {
      const { name, args } = expression;
      const [text, pattern] = args;
      if ((name === 'match' || name === 'search') && text !== undefined && pattern !== undefined)
        return { kind: name, text: this.#operand(text), pattern: this.#operand(pattern) };
    }
    throw invalid('it has a test that is not known here');
  }

  #infix({ left, operator, right }: jsonpath.expressions.InfixExpression): PathTest {
    if (operator === '&&' || operator === '||')
      return { kind: operator === '&&' ? 'and' : 'or', left: this.#test(left), right: this.#test(right) };
    if (!OPERATORS.includes(operator)) throw invalid('it has an operator that is not known here');
    return {
      kind: 'compare',
      operator: operator as Operator,
      left: this.#operand(left),
      right: this.#operand(right),
    };
  }

  #operand(expression: Expression): PathOperand {
    const { expressions } = this.#library;
    if (expression instanceof expressions.StringLiteral) return { kind: 'string', value: expression.value };
    if (expression instanceof expressions.NumberLiteral)
      return { kind: 'number', written: expression.token.value };
    if (expression instanceof expressions.BooleanLiteral)
      return { kind: 'constant', value: expression.value };
    if (expression instanceof expressions.NullLiteral) return { kind: 'constant', value: null };
    if (expression instanceof expressions.FilterQuery)
      return { kind: 'node', query: this.#filterQuery(expression) };
    if (expression instanceof expressions.FunctionExtension) return this.#function(expression);
    throw invalid('it has a value that is not known here');
  }

  #function({ name, args }: jsonpath.expressions.FunctionExtension): PathOperand {
    const [argument] = args;
    if (argument !== undefined && name === 'length') return { kind: 'length', of: this.#operand(argument) };
    if (argument instanceof this.#library.expressions.FilterQuery && (name === 'count' || name === 'value'))
      return { kind: name, query: this.#filterQuery(argument) };
    throw invalid('it has a function that is not known here');
  }

  #filterQuery(expression: jsonpath.expressions.FilterQuery): FilterQuery {
    const from = expression instanceof this.#library.expressions.RootQuery ? 'root' : 'current';
    return { from, ...this.query(expression.path) };
  }
}
