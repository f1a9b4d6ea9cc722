/**
 * The one error class. `code` is the contract (match on it, not on the message); the message says
 * what to do next and never quotes captured content.
 */

/** The codes of errors, each with the HTTP status that says the same. */
const HTTP_STATUS = {
  /** An argument of a call is wrong. */
  invalid_argument: 400,
  /** Not an artifact id at all. */
  invalid_id: 400,
  /** The store lacks the part that this needs: history or upkeep. */
  unsupported: 501,
  /** A setting has a value it cannot have. */
  invalid_policy: 400,
  /** No such output in this scope. */
  not_found: 404,
  /** It was there; its handle was retired or it was purged. */
  gone: 410,
  /** `strict`: the output could not be stored. */
  not_stored: 507,
  /** No room: disk or quota. */
  store_full: 507,
  /** The store cannot be opened, read or written. */
  store_unavailable: 503,
  /** Stored bytes do not match their checksum. */
  corrupt: 500,
  /** A request does not fit the window, whatever is left out. */
  over_window: 413,
  /** The writer was sealed or discarded before. */
  sealed: 409,
  /** Something else is kept under that id or version. */
  conflict: 409,
  /** A promise of the history was about to be broken; checked in development. */
  invariant: 500,
} as const;

/** Which kind of error it is. */
export type ErrorCode = keyof typeof HTTP_STATUS;

/**
 * `trust_store`: check a store that was made elsewhere, and use it. `move_store`: keep it in
 * another folder. `check_store`: look for damage. `purge_outputs`: make room.
 */
export type Remedy = 'trust_store' | 'move_store' | 'check_store' | 'purge_outputs';

/** Every error of Spillway. Match on `code`; the message says what to do next. */
export class SpillwayError extends Error {
  override readonly name = 'SpillwayError';
  readonly code: ErrorCode;
  /** What would help, where a program has a command for it: the program names the command. */
  readonly remedy: Remedy | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly remedy?: Remedy }) {
    super(message, options);
    this.code = code;
    this.remedy = options?.remedy;
  }

  /** The HTTP status that says the same. */
  get status(): number {
    return HTTP_STATUS[this.code];
  }
}
