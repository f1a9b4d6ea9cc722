/** Which session, and how old: what the clean-up and the archive both ask. */

import { formatBytes } from '../../data/figures.ts';
import type { SessionSize } from './session-sizes.tsx';

const DAY_MS = 86_400_000;
const AGES = [1, 7, 30, 90, 365];

interface SessionChoiceProps {
  readonly sessions: readonly SessionSize[];
  /** What no choice means. */
  readonly all: string;
  readonly value: string | null;
  readonly onChange: (session: string | null) => void;
}

export function SessionChoice({ sessions, all, value, onChange }: SessionChoiceProps) {
  return (
    <label>
      Of
      <select value={value ?? ''} onChange={(event) => onChange(event.currentTarget.value || null)}>
        <option value="">{all}</option>
        {sessions.map(({ id, bytes, ended_at }) => (
          <option key={id} value={id}>
            {id} · {formatBytes(bytes)}
            {ended_at === null ? ' · open' : ''}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Until when an output must have ended to be so old; null for any age. */
export function endedBefore(days: number): number | null {
  return days === 0 ? null : Date.now() - days * DAY_MS;
}

interface AgeChoiceProps {
  /** What no choice means. */
  readonly none: string;
  /** In days; 0 for any age. */
  readonly value: number;
  readonly onChange: (days: number) => void;
}

export function AgeChoice({ none, value, onChange }: AgeChoiceProps) {
  return (
    <label>
      Age
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        <option value="0">{none}</option>
        {AGES.map((days) => (
          <option key={days} value={days}>
            Older than {days === 1 ? 'a day' : `${days} days`}
          </option>
        ))}
      </select>
    </label>
  );
}
