/** Which of several servers a request is for, and the request as that server knows it. */
import { type Edit, edited, membersOf, stringIn, textIn, valueIn } from '../json-edit.ts';
import { type Message, sameId } from '../message.ts';
import type { Child } from './child.ts';
import type { Lists } from './lists.ts';
import { type Owner, withName } from './names.ts';

export interface Route {
  readonly child: Child;
  readonly bytes: Buffer;
}

export class Routes {
  readonly #lists: Lists;
  readonly #child: (name: string) => Child;
  /** Who made a task, by its id. */
  readonly #tasks: ReadonlyMap<string, Child>;

  constructor(lists: Lists, child: (name: string) => Child, tasks: ReadonlyMap<string, Child>) {
    this.#lists = lists;
    this.#child = child;
    this.#tasks = tasks;
  }

  /** Null if nobody can serve it. */
  async find(message: Message, method: string): Promise<Route | null> {
    if (method === 'tools/call') return this.#byName(message, 'tools/list');
    if (method === 'prompts/get') return this.#byName(message, 'prompts/list');
    if (method === 'completion/complete') return this.#byReference(message);
    const uri = stringIn(message.bytes, message.params.get('uri'));
    if (method.startsWith('resources/') && uri !== undefined) return this.#byUri(message, uri);
    const task = stringIn(message.bytes, message.params.get('taskId'));
    const able = this.#lists.having(task === undefined ? (method.split('/')[0] ?? '') : 'tasks')[0];
    return this.#to(this.#tasks.get(task ?? '') ?? able, message.bytes);
  }

  async #byName(message: Message, listed: string): Promise<Route | null> {
    const name = stringIn(message.bytes, message.params.get('name')) ?? '';
    const owner = await this.#lists.owner(message, listed, name);
    if (owner === undefined) return null;
    return this.#to(owner, owner.name === '' ? message.bytes : withName(message, 'name', owner.name));
  }

  async #byReference(message: Message): Promise<Route | null> {
    const ref = message.params.get('ref');
    const members = ref === undefined ? null : membersOf(message.bytes, ref.value);
    const name = members?.get('name');
    const uri = stringIn(message.bytes, members?.get('uri'));
    const written = stringIn(message.bytes, name);
    const listed = written === undefined ? 'resources/templates/list' : 'prompts/list';
    const owner = await this.#lists.owner(message, listed, written ?? uri ?? '');
    if (owner === undefined) return null;
    const edits = name === undefined ? [] : [{ ...name.value, by: JSON.stringify(owner.name) }];
    return this.#to(owner, edited(message.bytes, edits));
  }

  /** Who listed it, or a template for it; else whoever can read it. */
  async #byUri(message: Message, uri: string): Promise<Route | null> {
    const owner =
      (await this.#lists.owner(message, 'resources/list', uri)) ??
      (await this.#lists.ownerByTemplate(message, uri));
    if (owner !== undefined) return this.#to(owner, message.bytes);
    const readers = this.#lists.having('resources');
    for (const child of readers.slice(0, -1)) {
      const answer = await child.ask(message, null);
      if (answer?.members.has('result') === true) return { child, bytes: message.bytes };
    }
    return this.#to(readers.at(-1), message.bytes);
  }

  #to(whose: Owner | Child | undefined, bytes: Buffer): Route | null {
    if (whose === undefined) return null;
    return { child: 'server' in whose ? this.#child(whose.server) : whose, bytes };
  }
}

// Which of several servers made a task: what is asked about it later goes there. Learned from
// results that pass.

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

// Requests of merged servers to the client. Two servers may use the same id: towards the client the
// server's name stands before it, also where the server takes its request back; the answer gets the
// server's own id again.

/** Requests that a client has not answered; older ones are forgotten. */
const MOST_OPEN = 1_000;

export class ServerRequests {
  readonly #askedBy = new Map<string, { readonly child: Child; readonly id: string }>();

  /** The message as the client gets it; null if it stays as it is. */
  toClient(child: Child, message: Message): Buffer | null {
    const member =
      message.method === 'notifications/cancelled'
        ? message.params.get('requestId')
        : message.method === null
          ? undefined
          : message.members.get('id');
    if (member === undefined) return null;
    const id = textIn(message.bytes, member.value);
    const known = JSON.stringify(`${child.name}:${id}`);
    if (message.method !== 'notifications/cancelled') this.#remember(known, child, id);
    const edit: Edit = { ...member.value, by: known };
    return edited(message.bytes, [edit]);
  }

  /** An answer of the client goes to who asked. */
  async answered(message: Message): Promise<void> {
    const id = sameId(message.id ?? 'null');
    const asked = this.#askedBy.get(id);
    const member = message.members.get('id');
    if (asked === undefined || member === undefined) return;
    this.#askedBy.delete(id);
    await asked.child.pass(edited(message.bytes, [{ ...member.value, by: asked.id }]), message);
  }

  #remember(known: string, child: Child, id: string): void {
    const [oldest] = this.#askedBy.keys();
    if (this.#askedBy.size >= MOST_OPEN && oldest !== undefined) this.#askedBy.delete(oldest);
    this.#askedBy.set(known, { child, id });
  }
}
