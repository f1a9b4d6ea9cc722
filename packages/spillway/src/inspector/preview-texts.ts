/**
 * Texts that a person gave to the preview: recorded in memory, so that they can be read like stored
 * outputs. The last few are kept, and all of them go when the inspector ends.
 */
import { type ArtifactId, memoryStore, type OutputRecord, Spillway } from '@spillway/core';
import { randomBytes } from '@spillway/core/store';
import type { Opened } from '../open.ts';
import { re2Patterns } from '../patterns.ts';
import { Problem } from './problem.ts';

const MOST_TEXTS = 8;
const SCOPE = 'preview';

export interface PreviewEntry {
  readonly name: string;
  readonly record: OutputRecord;
  readonly spillway: Spillway;
}

export interface GivenText {
  readonly name: string;
  readonly tool: string;
  readonly exitCode: number | undefined;
  readonly bytes: Uint8Array;
}

export class PreviewTexts {
  readonly #entries = new Map<ArtifactId, PreviewEntry>();

  find(id: ArtifactId): PreviewEntry | undefined {
    return this.#entries.get(id);
  }

  /** Each text has a store of its own, which goes with it. */
  async add({ name, tool, exitCode, bytes }: GivenText, { config }: Opened): Promise<PreviewEntry> {
    const spillway = new Spillway({
      store: memoryStore(),
      patterns: re2Patterns,
      ownPatterns: config.own,
      random: randomBytes,
    });
    const call = { tool, session: 'preview', scope: SCOPE, input: { name } };
    const outcome = exitCode === undefined ? {} : { outcome: endedWith(exitCode) };
    const { record } = await spillway.record(call, { kind: 'text', text: bytes }, outcome);
    const entry = { name, record, spillway };
    this.#entries.set(record.id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST_TEXTS && oldest !== undefined) this.#entries.delete(oldest);
    if (record.parts.length === 0) throw new Problem('invalid_argument', 'There is nothing in it.');
    return entry;
  }
}

function endedWith(exitCode: number) {
  return { status: exitCode === 0 ? ('ok' as const) : ('error' as const), exitCode };
}
