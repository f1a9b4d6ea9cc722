/** `spillway config unset`: takes one setting out of a file; comments and order stay. */
import type { CommandDetails, Given } from '../../flags.ts';
import { change, TARGET_FLAGS } from './set.ts';

export const details: CommandDetails = {
  operands: { usage: 'FIELD', min: 1, max: 1 },
  flags: TARGET_FLAGS,
  examples: ['spillway config unset inline_limit', 'spillway config unset strategy --tool read_file --user'],
};

export function run(given: Given): Promise<number> {
  return change(given, null);
}
