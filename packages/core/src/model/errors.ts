/**
 * The one error class. `code` is the contract (match on it, not on the message); the message says
 * what to do next and never quotes captured content.
 *
 * | code | HTTP | meaning |
 * |---|---|---|
 * | invalid_argument | 400 | an argument of a call is wrong |
 * | invalid_id | 400 | not an artifact id at all |
 * | unsupported | 501 | the store lacks the part that this needs: history or upkeep |
 * | invalid_policy | 400 | a setting has a value it cannot have |
 * | not_found | 404 | no such output in this scope |
 * | gone | 410 | it was there; its handle was retired or it was purged |
 * | not_stored | 507 | `strict`: the output could not be stored |
 * | store_full | 507 | no room: disk or quota |
 * | store_unavailable | 503 | the store cannot be opened, read or written |
 * | corrupt | 500 | stored bytes do not match their checksum |
 * | over_window | 413 | a request does not fit the window, whatever is left out |
 * | sealed | 409 | the writer was sealed or discarded before |
 * | conflict | 409 | something else is kept under that id or version |
 * | invariant | 500 | a promise of the history was about to be broken; checked in development |
 */
const HTTP_STATUS = {
  invalid_argument: 400,
  invalid_id: 400,
  unsupported: 501,
  invalid_policy: 400,
  not_found: 404,
  gone: 410,
  not_stored: 507,
  store_full: 507,
  store_unavailable: 503,
  corrupt: 500,
  over_window: 413,
  sealed: 409,
  conflict: 409,
  invariant: 500,
} as const;

/** What went wrong, for programs: the codes above. */
export type ErrorCode = keyof typeof HTTP_STATUS;

/**
 * `trust_store`: check a store that was made elsewhere, and use it. `move_store`: keep it in
 * another folder. `check_store`: look for damage. `purge_outputs`: make room.
 */
export type Remedy = 'trust_store' | 'move_store' | 'check_store' | 'purge_outputs';

/** Every error of Spillway. Match on `code`; the message says what to do next. */
export class SpillwayError extends Error {
  /** Tells it from other errors where several copies of the package are loaded. */
  override readonly name = 'SpillwayError';
  /** What went wrong, for programs. */
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

/** What a caller gave is wrong. */
export function invalidArgument(message: string): SpillwayError {
  return new SpillwayError('invalid_argument', message);
}
