/** Real files with settings in folders of their own, read as the program reads them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Spillway } from '@spillway/core';
import { Settings } from '@spillway/core/plugin';
import { type Config, loadConfig } from 'spillway';
import { expect } from 'vitest';
import { temporaryFolder } from '../../core/test/folders.ts';

/** Where the files are, seen from the root of the workspace. The home of the user is beside it. */
export const USER = '../home/.config/spillway/config.yml';
export const WORKSPACE = '.acode/config.yml';
export const TOOLS = 'tools.yaml';
export const ACODE_TOOLS = '.acode/tools.yaml';
export const DOTENV = '.env';

export type Files = Readonly<Record<string, string>>;

export interface Setup {
  readonly root: string;
  readonly home: string;
  /** The user's file, in full. */
  readonly userFile: string;
  path(name: string): string;
  write(files: Files): Promise<void>;
  load(env?: Readonly<Record<string, string>>): Promise<Config>;
  /** The settings of a tool, each with its source, by their names in files. */
  explain(tool?: string, env?: Readonly<Record<string, string>>): Promise<Explained>;
}

type Explained = (setting: string) => {
  readonly value: unknown;
  readonly source: string;
  readonly level: string;
};

export async function setupWith(files: Files = {}): Promise<Setup> {
  const base = await temporaryFolder();
  const root = join(base, 'work');
  const home = join(base, 'home');
  // The mark of a workspace.
  await mkdir(join(root, '.git'), { recursive: true });
  await mkdir(home);
  const path = (name: string) => join(root, name);
  const load = (env: Readonly<Record<string, string>> = {}) => loadConfig({ workspace: root, env, home });
  const setup: Setup = {
    root,
    home,
    userFile: path(USER),
    path,
    async write(some) {
      for (const [name, text] of Object.entries(some)) {
        await mkdir(dirname(path(name)), { recursive: true });
        await writeFile(path(name), text);
      }
    },
    load,
    explain: async (tool = '', env = {}) => explainer(await load(env), tool),
  };
  await setup.write(files);
  return setup;
}

/** What the settings of a configuration are for a tool. */
export function explainer({ layers }: Config, tool: string): Explained {
  const settings = new Settings(new Spillway({ store: null }).settings.known);
  settings.replace('configuration', layers);
  const { policy, origins } = settings.effective(tool);
  return (setting) => {
    const field = setting.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!(field in policy)) throw new Error(`no setting ${setting}`);
    const name = field as keyof typeof policy;
    return { value: policy[name], ...origins[name] };
  };
}

/** A file of settings for every tool. */
export function general(settings: string): string {
  return `tools:\n  truncation:\n${indented(settings, 4)}`;
}

/** A file of settings for one tool. */
export function override(tool: string, settings: string): string {
  return `tools:\n  truncation:\n    overrides:\n      ${tool}:\n${indented(settings, 8)}`;
}

export function definition(tool: string, settings: string): string {
  return `${tool}:\n  truncation:\n${indented(settings, 4)}`;
}

function indented(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(by));
}

/** The message with which a configuration is refused. */
export async function refusal(files: Files, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const setup = await setupWith(files);
  const error = await setup.explain('', env).then(
    () => new Error('accepted'),
    (caught: Error & { code?: string }) => caught,
  );
  expect(error).toMatchObject({ name: 'SpillwayError', code: 'invalid_policy' });
  return error.message.replaceAll(setup.userFile, 'USER').replaceAll(setup.root, 'ROOT');
}
