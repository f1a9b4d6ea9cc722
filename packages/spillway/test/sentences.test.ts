// What the program says of an error of the library: its message, and the command that helps.
import { type Remedy, SpillwayError } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { sentenceFor } from '../src/sentences.ts';

const remedied = (remedy: Remedy) =>
  sentenceFor(new SpillwayError('store_unavailable', 'It is so.', { remedy }));

describe('the sentence for an error of the library', () => {
  it('names the command that does what the error advises', () => {
    expect(remedied('trust_store')).toBe(
      'It is so. To check and trust it: `spillway store trust`; SPILLWAY_STORE names another folder.',
    );
    expect(remedied('move_store')).toBe('It is so. SPILLWAY_STORE names the folder.');
    expect(remedied('check_store')).toBe('It is so. To look for damage: `spillway doctor`.');
    expect(remedied('purge_outputs')).toBe('It is so. To purge outputs: `spillway artifacts clean --purge`.');
  });

  it('is the message alone where no command helps', () => {
    expect(sentenceFor(new SpillwayError('conflict', 'It is so.'))).toBe('It is so.');
  });
});
