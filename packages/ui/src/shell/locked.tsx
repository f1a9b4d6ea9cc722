/** Shown without a valid key: says how to get in, and has a new start address printed on demand. */
import { useState } from 'preact/hooks';
import type { CodeAnswer } from '../../../spillway/src/inspector/api.ts';
import { Empty } from '../components/empty.tsx';
import { KeyIcon } from '../components/icons.ts';
import { post } from '../data/api-client.ts';

export function Locked() {
  const [told, setTold] = useState('');
  const print = async () => {
    try {
      const { command } = await post<CodeAnswer>('/api/code', {});
      setTold(
        `A new address was printed in the terminal that runs “${command}”. It works once, for a minute.`,
      );
    } catch (error) {
      setTold((error as Error).message);
    }
  };
  return (
    <main class="view" id="main" tabIndex={-1}>
      <Empty title="This page needs a start address" icon={KeyIcon}>
        <p>
          The inspector shows everything that your tools returned, so it opens only for the person at the
          terminal. Open the address that <code>spillway inspect</code> printed; each works once.
        </p>
        <button type="button" class="btn pri" onClick={print}>
          Print a new address in the terminal
        </button>
        <p role="status">{told}</p>
      </Empty>
    </main>
  );
}
