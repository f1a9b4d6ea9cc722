/**
 * Changes of settings that the inspector writes, and how they are taken back. A file is written only
 * if it is still the one that the person saw; a change is undone only if nobody wrote the file since.
 */
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { writeWhole } from '../config/edit.ts';
import { readFile } from '../config/load.ts';
import type { ConfigFile } from '../config/locations.ts';
import { planSetting, type SettingPlan } from '../config/set.ts';
import { knownNames, sourcesOf } from '../open.ts';
import { type BodyOf, flag, oneOf, orNull, scalar, text } from './api-request.ts';
import { Problem } from './problem.ts';

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

/** A line of a diff; numbers of lines before and after. */
type DiffLine = {
  readonly kind: 'same' | 'added' | 'removed';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
};

/**
 * The lines that differ between two texts, with a few around them. One setting changes few lines in
 * one place: what is the same at both ends is left out, and the rest is compared line by line.
 */
const CONTEXT = 3;

function diffOf(before: string, after: string): DiffLine[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, young.length);
  let [start, end] = [0, 0];
  while (start < most && old[start] === young[start]) start++;
  while (end < most - start && old.at(-1 - end) === young.at(-1 - end)) end++;
  const shift = young.length - old.length;
  const rest = old.length - end;
  const around = old.map((text, at): DiffLine => {
    return { kind: 'same', before: at + 1, after: at + 1 + (at < start ? 0 : shift), text };
  });
  return [
    ...around.slice(Math.max(0, start - CONTEXT), start),
    ...old.slice(start, rest).map((text, at): DiffLine => {
      return { kind: 'removed', before: start + at + 1, after: null, text };
    }),
    ...young.slice(start, rest + shift).map((text, at): DiffLine => {
      return { kind: 'added', before: null, after: start + at + 1, text };
    }),
    ...around.slice(rest, rest + CONTEXT),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines;
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
  undo(id: string): SettingChanged {
    const written = this.#written.find((one) => one.id === id);
    if (written === undefined) throw new Problem('not_found', 'There is no such change.');
    const { file, before, after, order } = written;
    if (!canUndo(written)) throw new Problem('changed', `${file.name} has changed since. Change it by hand.`);
    if (before === null) rmSync(file.path, { force: true });
    else writeWhole(file, before);
    written.undone = true;
    const diff = diffOf(after, before ?? '');
    return { change: id, file: file.name, hash: hashOf(before), value: order.value, diff, hidden_by: null };
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
