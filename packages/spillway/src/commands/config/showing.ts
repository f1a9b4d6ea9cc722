/** How settings are shown: as rows for people, as facts for programs. */
import { type Effective, FIELD_NAMES, type FieldName, formatCount, settingName } from '@spillway/core/plugin';
import type { ConfigSources } from '../../config/locations.ts';
import { sourcesOf } from '../../open.ts';
import { print } from '../../output.ts';
import { boxTable } from '../../table.ts';
import { columnsOf } from '../../terminal.ts';

export function here(): ConfigSources {
  return sourcesOf(process.cwd(), process.env);
}

export function rows({ policy, origins }: Effective, names: readonly FieldName[] = FIELD_NAMES): string[][] {
  return names.map((name) => {
    const value = policy[name];
    const shown = value === null ? 'off' : typeof value === 'number' ? numeral(value) : String(value);
    return [settingName(name), shown, origins[name].level, origins[name].source];
  });
}

function numeral(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : String(value);
}

export function facts({ policy, origins }: Effective, names: readonly FieldName[] = FIELD_NAMES) {
  return Object.fromEntries(
    names.map((name) => [settingName(name), { value: policy[name], ...origins[name] }]),
  );
}

export function table(
  title: string,
  header: readonly string[],
  cells: readonly (readonly string[])[],
): string {
  return boxTable(title, header, cells, columnsOf(1));
}

export async function printJson(value: unknown): Promise<void> {
  await print(`${JSON.stringify(value)}\n`);
}
