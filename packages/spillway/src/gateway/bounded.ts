/**
 * A smaller form of structured content that still fits the tool's schema: arrays lose elements at
 * their end, optional members go, long strings are shortened, each only where the schema surely
 * allows it. Nothing is marked inside; omissions are listed by path. Numbers stay as written. If
 * nothing may be removed, the whole is sent.
 */

type Schema = Readonly<Record<string, unknown>>;

export interface Bounded {
  readonly json: string;
  readonly meta: { readonly complete: boolean; readonly omitted: readonly OmittedAt[] };
}

interface OmittedAt {
  readonly path: string;
  readonly items?: number;
  readonly members?: readonly string[];
  readonly chars?: number;
}

const MOST_REPORTED = 50;
/** Words of JSON Schema under which taking something away may make the rest invalid. */
const BINDING = [
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'contains',
  'minContains',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'minProperties',
  'patternProperties',
  'propertyNames',
  'enum',
  'const',
  '$dynamicRef',
];
const BINDING_STRING = ['pattern', 'format', 'enum', 'const', 'contentEncoding', 'contentMediaType'];

export function boundedStructure(written: string, schema: unknown, limit: number): Bounded {
  const value = readExactly(written);
  // Each round keeps half as much of every list and string.
  for (let most = 4_096; ; most = Math.floor(most / 2)) {
    const shrinking = new Shrinking(schema, most);
    const json = JSON.stringify(shrinking.shrink(value, schema, '$'));
    if (json.length <= limit || most === 0)
      return {
        json,
        meta: {
          complete: shrinking.omitted.length === 0,
          omitted: shrinking.omitted.slice(0, MOST_REPORTED),
        },
      };
  }
}

class Shrinking {
  readonly omitted: OmittedAt[] = [];
  readonly #root: unknown;
  readonly #most: number;

  constructor(root: unknown, most: number) {
    this.#root = root;
    this.#most = most;
  }

  shrink(value: unknown, given: unknown, path: string): unknown {
    const schema = this.#resolved(given);
    if (schema === null) return value;
    if (typeof value === 'string') return this.#string(value, schema, path);
    if (Array.isArray(value)) return this.#array(value, schema, path);
    return isObject(value) ? this.#object(value, schema, path) : value;
  }

  #string(value: string, schema: Schema, path: string): string {
    const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
    const length = Math.max(this.#most, least);
    if (value.length <= length || BINDING_STRING.some((word) => word in schema)) return value;
    this.omitted.push({ path, chars: value.length - length });
    return value
      .slice(0, length)
      .toWellFormed()
      .replace(/\uFFFD$/, ' ');
  }

  #array(value: readonly unknown[], schema: Schema, path: string): unknown[] {
    const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
    const length = Math.min(value.length, Math.max(this.#most, least));
    if (length < value.length) this.omitted.push({ path, items: value.length - length });
    return value.slice(0, length).map((item, i) => this.shrink(item, schema.items, `${path}[${i}]`));
  }

  #object(value: Readonly<Record<string, unknown>>, schema: Schema, path: string): unknown {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const properties = isObject(schema.properties) ? schema.properties : {};
    const left: string[] = [];
    const kept: Record<string, unknown> = {};
    const keys = Object.keys(value);
    for (const [at, key] of keys.entries()) {
      if (at >= this.#most && !required.has(key)) left.push(key);
      else
        Object.defineProperty(kept, key, {
          value: this.shrink(value[key], properties[key] ?? schema.additionalProperties, `${path}.${key}`),
          enumerable: true,
        });
    }
    if (left.length > 0) this.omitted.push({ path, members: left.slice(0, MOST_REPORTED) });
    return kept;
  }

  /**
   * The schema of a value; null if it is too complex to know what may be removed. A missing one
   * allows anything.
   */
  #resolved(given: unknown): Schema | null {
    if (given === undefined || given === true) return {};
    if (!isObject(given)) return null;
    let schema: Schema = given;
    for (let hops = 0; typeof schema.$ref === 'string'; hops++) {
      const target = hops > 20 ? undefined : this.#at(schema.$ref);
      if (!isObject(target)) return null;
      schema = target;
    }
    return BINDING.some((word) => word in schema) ? null : schema;
  }

  #at(ref: string): unknown {
    if (!ref.startsWith('#')) return undefined;
    return ref
      .slice(1)
      .split('/')
      .filter((step) => step !== '')
      .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), this.#root);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON_RAW.isRawJSON(value);
}

interface RawJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}
const JSON_RAW = JSON as unknown as RawJson;

function readExactly(text: string): unknown {
  const keep = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? JSON_RAW.rawJSON(context.source) : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}
