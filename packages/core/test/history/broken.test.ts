// Results that break off while they are read: what had arrived is kept, with the reason, and what
// was given up is no crash.
import { describe, expect, it } from 'vitest';
import { linesOf, openHistory } from './opened.ts';

async function* breaking(text: string, reason: unknown) {
  yield text;
  throw reason;
}

async function words(reason: unknown, text = 'what had arrived\n') {
  const { session } = openHistory();
  await session.say({ role: 'assistant', parts: [{ type: 'call', callId: 'c', tool: 't', input: '{}' }] });
  const returned = await session.result(
    { callId: 'c', tool: 't' },
    { kind: 'text', text: breaking(text, reason) },
  );
  const prepared = await session.prepare();
  if (prepared.verdict === 'refused') throw new Error('refused');
  return { ...returned, sent: JSON.stringify(prepared.messages) };
}

describe('a stream that breaks', () => {
  it('keeps its reason: for the host, in the record, and for the model', async () => {
    const reason = new TypeError('terminated', { cause: new Error('other side closed') });
    for (const text of ['what had arrived\n', linesOf(100_000)]) {
      const { failure, output, sent } = await words(reason, text);
      expect(failure).toBe(reason);
      expect(output).toMatchObject({ outcome: { status: 'crashed' }, complete: false });
      expect(sent).toContain('TypeError: terminated\\nCaused by Error: other side closed');
      expect(sent).toContain(text.slice(0, 15));
    }
    const { sent } = await words('no error at all');
    expect(sent).toContain('no error at all');
  });

  it.each([
    ['cancelled', new DOMException('stopped', 'AbortError')],
    ['cancelled', AbortSignal.abort().reason],
    ['cancelled', new Error('read failed', { cause: new DOMException('stopped', 'AbortError') })],
    ['cancelled', Object.assign(new Error('stopped'), { name: 'APIUserAbortError' })],
    ['cancelled', Object.assign(new Error('stopped'), { code: 'ABORT_ERR' })],
    ['timeout', new DOMException('too long', 'TimeoutError')],
    [
      'timeout',
      Object.assign(new Error('stopped', { cause: new DOMException('', 'TimeoutError') }), {
        name: 'AbortError',
      }),
    ],
    ['crashed', new Error('ECONNRESET')],
    ['crashed', undefined],
  ])('is %s by what its reason says: %#', async (status, reason) => {
    const { output, message } = await words(reason);
    expect(output.outcome.status).toBe(status);
    expect(message.parts[0]).toMatchObject({ status });
  });
});
