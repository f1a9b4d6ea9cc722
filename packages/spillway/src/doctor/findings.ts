/** What an examination says of one thing: what is there and, if that is not well, what to do. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failure';
  readonly detail: string;
  readonly fix: string | null;
}

export function ok(name: string, detail: string): Finding {
  return { name, state: 'ok', detail, fix: null };
}

export function warning(name: string, detail: string, fix: string): Finding {
  return { name, state: 'warning', detail, fix };
}

export function failure(name: string, detail: string, fix: string): Finding {
  return { name, state: 'failure', detail, fix };
}
