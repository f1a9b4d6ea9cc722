/**
 * The one-call face for hosts that already have a place where tool results pass as strings: content
 * in, bounded content out, with metadata and a reference to the stored whole. Everything it needs
 * is given to its constructor.
 */

import type { Spillway } from './engine.ts';
import type { ArtifactId } from './model/artifact.ts';
import type { SettingsInput } from './model/policy.ts';
import type { ProjectionMetadata } from './model/projection.ts';
import type { WaitOptions } from './model/store.ts';
import { formatBytes } from './text/numbers.ts';

/** What a model should read, and what is known of it. */
export interface TruncationResult {
  /** The text for the model. */
  readonly content: string;
  /** What is known of it, in numbers and names. */
  readonly metadata: ProjectionMetadata;
  /** Set when something was left out. */
  readonly artifactId?: ArtifactId;
  /** `[Artifact: {id}] {summary} ({size})`: a reference to show instead of the content. */
  readonly artifactReference?: string;
}

/** What is known of the one call, beside its tool. */
export interface CallOptions extends WaitOptions {
  /** The host's own id of the call. It is part of the name of the saved file. */
  readonly callId?: string;
}

/** What a host depends on: `TruncationProcessor` here, anything else in its tests. */
export interface Processor {
  /** Records a tool's text, and gives what a model should read of it. */
  process(
    content: string,
    toolName: string,
    config?: SettingsInput,
    options?: CallOptions,
  ): Promise<TruncationResult>;
}

/** Records tool results that pass as strings and bounds what goes on. */
export class TruncationProcessor implements Processor {
  readonly #spillway: Spillway;
  readonly #session: string;
  readonly #scope: string;

  constructor(given: { readonly spillway: Spillway; readonly session: string; readonly scope?: string }) {
    this.#spillway = given.spillway;
    this.#session = given.session;
    this.#scope = given.scope ?? given.session;
  }

  /** Records a text, and gives what a model should read. `config`: for this call alone. */
  async process(
    content: string,
    toolName: string,
    config?: SettingsInput,
    { callId, ...wait }: CallOptions = {},
  ): Promise<TruncationResult> {
    const call = {
      tool: toolName,
      session: this.#session,
      scope: this.#scope,
      ...(callId === undefined ? {} : { callId }),
    };
    const answer = await this.#spillway.process(
      call,
      { kind: 'text', text: content },
      config === undefined ? wait : { ...wait, policy: config },
    );
    const { text, metadata } = answer.projection;
    if (metadata.artifact_id === null) return { content: text, metadata };
    const record = await this.#spillway.sealed(answer, wait);
    const size = formatBytes(record?.parts.reduce((sum, part) => sum + part.bytes, 0) ?? 0);
    const artifactReference = `[Artifact: ${metadata.artifact_id}] ${record?.summary ?? toolName} (${size})`;
    return { content: text, metadata, artifactId: metadata.artifact_id, artifactReference };
  }
}
