/**
 * Requests of merged servers to the client. Two servers may use the same id: towards the client the
 * server's name stands before it, also where the server takes its request back; the answer gets the
 * server's own id again.
 */
import { type Edit, edited, textIn } from '../json-edit.ts';
import { type Message, sameId } from '../message.ts';
import type { Child } from './child.ts';

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
