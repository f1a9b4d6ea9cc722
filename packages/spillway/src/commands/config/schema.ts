/** `spillway config schema`: the JSON Schema of all files with settings. */
import { schemaText } from '../../config/schema.ts';
import { type CommandDetails, JSON_FLAG } from '../../flags.ts';
import { knownNames } from '../../open.ts';
import { print } from '../../output.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [{ ...JSON_FLAG, doc: 'Print JSON; it always does.' }],
  examples: [
    'spillway config schema > .acode/config.schema.json',
    '# yaml-language-server: $schema=config.schema.json',
    '# yaml-language-server: $schema=../node_modules/spillway/schema/config.schema.json',
  ],
};

export async function run(): Promise<number> {
  await print(schemaText(knownNames()));
  return 0;
}
