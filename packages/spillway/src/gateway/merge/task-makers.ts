/**
 * Which of several servers made a task: what is asked about it later goes there. Learned from
 * results that pass.
 */
import { valueIn } from '../json-edit.ts';
import type { Message } from '../message.ts';
import type { Child } from './child.ts';

const MOST_TASKS = 1_000;

export class TaskMakers {
  readonly #makers = new Map<string, Child>();

  get makers(): ReadonlyMap<string, Child> {
    return this.#makers;
  }

  look(child: Child, message: Message): void {
    if (message.method !== null || !message.bytes.includes('"taskId"')) return;
    const task = message.result.get('task');
    const value = task === undefined ? undefined : valueIn(message.bytes, task.value);
    const id = (value as { taskId?: unknown } | null | undefined)?.taskId;
    if (typeof id !== 'string') return;
    const [oldest] = this.#makers.keys();
    if (this.#makers.size >= MOST_TASKS && oldest !== undefined) this.#makers.delete(oldest);
    this.#makers.set(id, child);
  }
}
