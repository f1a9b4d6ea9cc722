/** Which of several servers a request is for, and the request as that server knows it. */
import { edited, membersOf, stringIn } from '../json-edit.ts';
import type { Message } from '../message.ts';
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
