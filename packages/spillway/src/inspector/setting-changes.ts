/**
 * Changes of settings that the inspector writes, and how they are taken back. A file is written only
 * if it is still the one that the person saw; a change is undone only if nobody wrote the file since.
 */
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readFile } from '../config/load.ts';
import type { ConfigFile } from '../config/locations.ts';
import { planSetting, type SettingPlan, writeWhole } from '../config/set.ts';
import { knownNames, sourcesOf } from '../open.ts';
import { type BodyOf, flag, oneOf, orNull, Problem, scalar, text } from './answer.ts';

/** Sets or unsets one setting in a file; comments and order stay. */
export const CHANGE = {
  field: text,
  /** Null takes the setting out of the file. */
  value: scalar,
  /** For one tool or pattern; null for all. */
  tool: orNull(text),
  where: oneOf('workspace', 'user'),
  /** The file's hash as it was shown; null: the file was not there. */
  if_unchanged: orNull(text),
  /** False only tells what would be written. */
  write: flag,
};

type SettingChange = BodyOf<typeof CHANGE>;
export type SettingChanged = Awaited<ReturnType<SettingChanges['change']>>;

const CONTEXT = 3;

/**
 * The lines that differ between two texts, with a few around them. One setting changes few lines in
 * one place: what is the same at both ends is left out.
 */
function diffOf(before: string, after: string) {
  const [old, young] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, young.length);
  let [start, end] = [0, 0];
  while (start < most && old[start] === young[start]) start++;
  while (end < most - start && old.at(-1 - end) === young.at(-1 - end)) end++;
  if (start === old.length && start === young.length) return [];
  const part = (kind: 'same' | 'added' | 'removed', lines: string[], from: number, to: number) =>
    lines.slice(Math.max(0, from), to).map((text, at) => ({ kind, line: Math.max(0, from) + at + 1, text }));
  const rest = young.length - end;
  return [
    ...part('same', young, start - CONTEXT, start),
    ...part('removed', old, start, old.length - end),
    ...part('added', young, start, rest),
    ...part('same', young, rest, rest + CONTEXT),
  ];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

interface Written {
  readonly id: string;
  readonly at: number;
  readonly order: SettingChange;
  readonly file: ConfigFile;
  readonly before: string | null;
  readonly after: string;
  undone: boolean;
}

export interface ChangingOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class SettingChanges {
  readonly #options: ChangingOptions;
  readonly #written: Written[] = [];

  constructor(options: ChangingOptions) {
    this.#options = options;
  }

  /** Tells what a change would write; writes it if that was asked for. */
  async change(order: SettingChange) {
    const plan = await this.#plan(order);
    const { file, former, text } = plan;
    if (order.write && hashOf(former) !== order.if_unchanged)
      throw new Problem('changed', `${file.name} has changed meanwhile. Look at it again.`);
    const id = order.write ? randomBytes(8).toString('hex') : null;
    if (id !== null) {
      writeWhole(file, text);
      this.#written.push({ id, at: Date.now(), order, file, before: former, after: text, undone: false });
    }
    return {
      /** Set where it was written: names the change for `undo`. */
      change: id,
      file: file.name,
      hash: order.write ? hashOf(text) : hashOf(former),
      value: plan.value,
      diff: diffOf(former ?? '', text),
      /** The stronger source that makes it without effect. */
      hidden_by: plan.hidden_by,
    };
  }

  /** Puts the file back as it was. */
  undo(id: string) {
    const written = this.#written.find((one) => one.id === id);
    if (written === undefined) throw new Problem('not_found', 'There is no such change.');
    const { file, before } = written;
    if (!canUndo(written)) throw new Problem('changed', `${file.name} has changed since. Change it by hand.`);
    if (before === null) rmSync(file.path, { force: true });
    else writeWhole(file, before);
    written.undone = true;
    return { file: file.name };
  }

  list() {
    return {
      changes: this.#written.toReversed().map((written) => ({
        change: written.id,
        at: written.at,
        file: written.file.name,
        field: written.order.field,
        tool: written.order.tool,
        value: written.order.value,
        undone: written.undone,
        can_undo: canUndo(written),
      })),
    };
  }

  #plan({ field, value, tool, where }: SettingChange): Promise<SettingPlan> {
    const { cwd, env } = this.#options;
    const order = {
      field,
      value: value === null ? null : String(value),
      user: where === 'user',
      ...(tool === null ? {} : { tool }),
    };
    return planSetting(sourcesOf(cwd, env), order, knownNames());
  }
}

function canUndo({ file, after, undone }: Written): boolean {
  return !undone && readFile(file) === after;
}

/** SHA-256 of a text; null for a file that is not there. */
export function hashOf(text: string | null): string | null {
  return text === null ? null : createHash('sha256').update(text).digest('hex');
}
