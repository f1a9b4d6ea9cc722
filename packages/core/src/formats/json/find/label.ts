/** Normalized paths (RFC 9535, 2.7), as they are written in front of a match: `$['items'][3]`. */
import { decode } from '../../../text/utf8.ts';

const LABEL_CHARS = 1_000;

export function pathStep(step: string | number): string {
  return typeof step === 'number' ? `[${step}]` : `['${escapeName(step)}']`;
}

export function pathLabel(steps: readonly string[]): string {
  const path = `$${steps.join('')}`;
  const shown = path.length <= LABEL_CHARS ? path : `${path.slice(0, LABEL_CHARS).toWellFormed()}…`;
  return `${shown}: `;
}

const SHORT: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};

const TO_ESCAPE = /[^ -\uffff]|['\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escapeName(name: string): string {
  return name.replace(
    TO_ESCAPE,
    (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A key that was cut stands for what is there. */
export function nameOf(raw: Uint8Array): string {
  const text = decode(raw);
  if (!text.endsWith('"') || text.length < 2) return text.slice(1);
  return text.includes('\\') ? readString(text) : text.slice(1, -1);
}

function readString(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    // A cut key may end inside an escape.
    return text.slice(1);
  }
}
