import type { ConfigFile } from './locations.ts';
import type { Problems } from './problems.ts';
import type { YamlFile } from './yaml-file.ts';

export interface Reading {
  readonly file: ConfigFile;
  readonly yaml: YamlFile;
  readonly userFile: string;
  readonly home: string | null;
  readonly problems: Problems;
}
