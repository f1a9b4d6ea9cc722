/** How many pieces of work run at a time. */
import { describe, expect, it } from 'vitest';
import { Slots } from '../../src/gateway/tool-results.ts';

describe('slots', () => {
  it('let as many run as there are, the others in the order in which they came', async () => {
    const slots = new Slots(2);
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const all = gates.map((gate, n) =>
      slots.run(() => {
        begun.push(n);
        return gate.promise;
      }),
    );
    expect(begun).toEqual([0, 1]);
    gates[1]?.resolve();
    await all[1];
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve();
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('are free again after work that failed', async () => {
    const slots = new Slots(1);
    await expect(slots.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await slots.run(async () => 'done')).toBe('done');
  });
});
