/** One short sentence that says what just happened; a screen reader hears it too. */
import { observable } from '../data/observable.ts';

const SHOWN_MS = 3_500;

export const toast = observable('');
let timer: ReturnType<typeof setTimeout> | undefined;

export function say(sentence: string): void {
  clearTimeout(timer);
  toast.set(sentence);
  timer = setTimeout(() => toast.set(''), SHOWN_MS);
}

/** Does something that may be refused; says why if it is, and answers whether it was done. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    say((error as Error).message);
    return false;
  }
}

/** Copies and says so; says why where the browser refuses. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say('The browser did not allow copying.');
  }
}
