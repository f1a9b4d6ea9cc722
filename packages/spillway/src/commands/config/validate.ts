/** `spillway config validate`: checks all files and variables with settings, or one file. */
import { resolve } from 'node:path';
import { Settings } from '@spillway/core';
import { CONFIG_GROUP, loadConfig, readFile, readSettings } from '../../config/load.ts';
import { configLocations, fileAt } from '../../config/locations.ts';
import { invalid, Problems } from '../../config/problems.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { knownNames } from '../../open.ts';
import { print } from '../../output.ts';
import { here, printJson } from './showing.ts';

export const details: CommandDetails = {
  operands: { usage: '[FILE]', min: 0, max: 1 },
  flags: [JSON_FLAG],
  examples: ['spillway config validate', 'spillway config validate .acode/config.yml'],
};

export async function run(given: Given): Promise<number> {
  const [path] = given.operands;
  const sources = here();
  const names = path === undefined ? await validateAll() : [await validateOne(path)];
  if (given.has('json')) await printJson({ valid: true, files: names });
  else
    await print(
      names.length === 0
        ? 'Valid. There is no file with settings; variables and built-in settings apply.\n'
        : `Valid: ${names.join(', ')}.\n`,
    );
  return 0;

  async function validateAll(): Promise<string[]> {
    const config = await loadConfig(sources);
    new Settings(knownNames()).replace(CONFIG_GROUP, config.layers);
    return config.files.filter(({ found }) => found).map(({ name }) => name);
  }

  async function validateOne(given: string): Promise<string> {
    const file = fileAt(resolve(given), configLocations(sources), sources.workspace);
    const text = readFile(file);
    if (text === null) throw invalid(`Cannot read ${file.name}: there is no such file.`);
    const problems = new Problems();
    const { user, tool } = await readSettings(file, text, sources, problems);
    problems.throwIfAny();
    new Settings(knownNames()).replace(CONFIG_GROUP, [...user, ...tool]);
    return file.name;
  }
}
