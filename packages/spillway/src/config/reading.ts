import type { ConfigFile } from './locations.ts';
import type { Problems } from './problems.ts';
import type { YamlFile } from './yaml-file.ts';

/** A file that is being read. */
export interface Reading {
  readonly file: ConfigFile;
  readonly yaml: YamlFile;
  /** The user's file, for messages. */
  readonly userFile: string;
  readonly home: string | null;
  readonly problems: Problems;
}
