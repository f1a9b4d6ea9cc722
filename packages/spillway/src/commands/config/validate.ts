/** `spillway config validate`: checks all files and variables with settings, or one file. */
import { resolve } from 'node:path';
import { SpillwayError } from '@spillway/core';
import { Settings } from '@spillway/core/plugin';
import { CONFIG_GROUP, loadConfig, readFile, readSettings } from '../../config/load.ts';
import { configLocations, fileAt } from '../../config/locations.ts';
import { InvalidConfiguration, invalid, Problems } from '../../config/problems.ts';
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
  let names: string[];
  try {
    names = path === undefined ? await validateAll() : [await validateOne(path)];
  } catch (error) {
    if (!given.has('json') || !(error instanceof SpillwayError)) throw error;
    await printJson({ valid: false, problems: problemsIn(error).map(problemFacts) });
    return WRONG;
  }
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

/** The exit code for what is wrong in a configuration, as without --json. */
const WRONG = 2;

function problemsIn(error: SpillwayError): readonly string[] {
  return error instanceof InvalidConfiguration ? error.problems : [error.message];
}

/** `file:line: what is wrong`, or `what is wrong (…, from file:line)`. */
function problemFacts(message: string) {
  const [, file = null, line] =
    /^(\S[^\n]*?):(\d+): /.exec(message) ?? /from ([^\s()]+):(\d+)\)/.exec(message) ?? [];
  return { message, file, line: line === undefined ? null : Number(line) };
}
