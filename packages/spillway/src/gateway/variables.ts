/** Variables in what a person configured: `${NAME}` and `${NAME:-default}`. */
import { SpillwayError } from '@spillway/core';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Goes from one closing brace to the next, so that no value makes it slow. */
export function withVariables(value: string, own: Variables): string {
  const pieces = value.split('}');
  const last = pieces.pop() ?? '';
  const texts = pieces.map((piece) => {
    const opened = VARIABLE.exec(piece);
    if (opened === null) return `${piece}}`;
    const [, name = '', fallback] = opened;
    const found = own[name] ?? fallback;
    if (found === undefined)
      throw new SpillwayError('invalid_argument', `The variable ${name.slice(0, 60)} is not set.`);
    return piece.slice(0, opened.index) + found;
  });
  return texts.join('') + last;
}

/** `${NAME` or `${NAME:-default`, up to the brace that closes it. */
const VARIABLE = /\$\{(\w+)(?::-(.*))?$/s;
