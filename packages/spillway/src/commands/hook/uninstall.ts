/** `spillway hook uninstall`: takes the hook out of an agent's settings. */
import { existsSync } from 'node:fs';
import type { CommandDetails, Given } from '../../flags.ts';
import { hooksIn, withoutHook } from '../../hook/install/hook-file.ts';
import { readNamedFile } from '../../named-file.ts';
import { print } from '../../output.ts';
import { backupsOf } from '../../replaced-file.ts';
import { carryOut, PLACE_FLAGS, placeOf, usable } from './install.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: PLACE_FLAGS,
  examples: [
    'spillway hook uninstall --agent claude-code --dry-run',
    'spillway hook uninstall --agent claude-code --scope project',
  ],
};

export async function run(given: Given): Promise<number> {
  const { target, file } = placeOf(given, 'hook uninstall');
  const { format } = target;
  const text = existsSync(file) ? readNamedFile(file) : '{}';
  const found = usable(file, () => (text.trim() === '' ? [] : hooksIn(text, format)));
  await print(`${file}\n`);
  for (const { command } of found) await print(`  - ${command}\n`);
  if (found.length === 0) await print('  There is no hook of ours. Nothing to change.\n');
  else await carryOut(given, file, withoutHook(text, format, backupsOf(file)));
  return 0;
}
