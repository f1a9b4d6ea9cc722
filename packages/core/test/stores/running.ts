// Starts processes for the store tests and waits for what they say.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('store-process.ts', import.meta.url));

export class Running {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown[]>;

  constructor(...args: string[]) {
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#ended = once(this.#child, 'exit');
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('no output to listen to');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async output(): Promise<string> {
    return String((await this.#lines.next()).value);
  }

  tell(): void {
    this.#child.stdin?.write('go on\n');
  }

  /** Its exit code. */
  async ended(): Promise<unknown> {
    return (await this.#ended)[0];
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
