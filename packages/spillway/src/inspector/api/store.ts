/** The store: size, sessions by size, damage, clean-up with a preview, archive. */
import type { OutputRow } from './outputs.ts';

/** `GET /api/store` */
export interface StoreAnswer {
  readonly has_store: boolean;
  readonly file: string;
  /** Bytes of distinct content, and of the file on disk. */
  readonly bytes: number;
  readonly file_bytes: number;
  /** Free on the disk; null where the system does not tell. */
  readonly free_bytes: number | null;
  /** The quota; null: none. */
  readonly max_bytes: number | null;
  readonly outputs: number;
  readonly sessions: number;
  readonly events: number;
  readonly retention: 'durable' | 'session';
  readonly max_age_days: number | null;
  readonly durability: 'power' | 'process';
  readonly copies: { readonly files: number; readonly bytes: number; readonly max_bytes: number };
}

/** `GET /api/store/sessions` — the largest first, at most 500. */
export interface StoreSessionsAnswer {
  readonly sessions: readonly {
    readonly id: string;
    readonly outputs: number;
    readonly bytes: number;
    readonly opened_at: number;
    readonly seen_at: number;
    readonly ended_at: number | null;
  }[];
}

/**
 * `POST /api/store/clean` — ends handles (`retire`) or removes outputs (`purge`). With `confirm:
 * null` it only tells what would go. To carry it out, `confirm` is the number of outputs of that
 * preview: 409 if it is another number by now. Outputs of open sessions stay unless the session is
 * named.
 */
export interface CleanOrder {
  readonly how: 'retire' | 'purge';
  /** Only this session; null for all. */
  readonly session: string | null;
  /** Only outputs that ended before. */
  readonly before_at: number | null;
  /** Only outputs of ended sessions. */
  readonly ended: boolean;
  readonly confirm: number | null;
}

export interface CleanAnswer {
  readonly outputs: number;
  readonly bytes_freed: number;
  readonly done: boolean;
  /** What goes, or went: the first 500. */
  readonly items: readonly OutputRow[];
}

/**
 * `POST /api/store/archive` — compresses old content where it lies; what is read stays the same.
 * With `preview` it only tells which outputs it would go through.
 */
export interface ArchiveOrder {
  readonly before_at: number;
  readonly session: string | null;
  readonly preview: boolean;
}

export interface ArchiveAnswer {
  readonly outputs: number;
  readonly bytes_before: number;
  /** Null in a preview: how small they become is known once they are. */
  readonly bytes_after: number | null;
  /** What a preview goes through, newest first, the first 500. */
  readonly items: readonly OutputRow[];
}

/** `GET /api/store/doctor?reach=newest|everything` — what `spillway doctor` finds. */
export interface DoctorAnswer {
  readonly findings: readonly {
    readonly name: string;
    readonly state: 'ok' | 'warning' | 'failure';
    readonly detail: string;
    readonly fix: string | null;
  }[];
  /** Handles of outputs that could not be read back. */
  readonly damaged: readonly string[];
}
