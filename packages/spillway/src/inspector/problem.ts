/** A refusal: the status and the sentence that the page is given. Never quotes content. */
import { SpillwayError } from '@spillway/core';

const STATUS = {
  invalid_argument: 400,
  invalid_policy: 400,
  not_started: 401,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  changed: 409,
  gone: 410,
  too_large: 413,
  too_often: 429,
  corrupt: 500,
  failed: 500,
  store_unavailable: 503,
};

export type ProblemCode = keyof typeof STATUS;

/** What every refusal looks like. `message` is a sentence for people. */
export interface ApiProblem {
  readonly error: {
    readonly code: ProblemCode;
    readonly message: string;
    /** Of a purged output (410). */
    readonly purged_at?: number;
  };
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly purgedAt: number | undefined;

  constructor(code: ProblemCode, message: string, purgedAt?: number) {
    super(message);
    this.code = code;
    this.purgedAt = purgedAt;
  }

  get status(): number {
    return STATUS[this.code];
  }

  get answer(): ApiProblem {
    const { code, message, purgedAt } = this;
    return { error: { code, message, ...(purgedAt === undefined ? {} : { purged_at: purgedAt }) } };
  }
}

/** What a failure is for the page: sentences of ours are passed on, others are not. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof SpillwayError))
    return new Problem('failed', 'Something went wrong in the inspector.');
  const { code, message } = error;
  if (code === 'invalid_id') return new Problem('invalid_argument', message);
  if (code === 'conflict') return new Problem('changed', message);
  return code in STATUS ? new Problem(code as ProblemCode, message) : new Problem('failed', message);
}
