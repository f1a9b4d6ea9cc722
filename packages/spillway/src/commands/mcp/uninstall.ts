/** `spillway mcp uninstall`: takes the servers of a client's configuration out from behind the gateway. */
import type { CommandDetails, Given } from '../../flags.ts';
import { changeConfigurations, details as install } from './install.ts';

export const details: CommandDetails = {
  ...install,
  examples: [
    'spillway mcp uninstall --client claude-code --dry-run',
    'spillway mcp uninstall --client cursor github',
  ],
};

export function run(given: Given): Promise<number> {
  return changeConfigurations(given, 'mcp uninstall', null);
}
