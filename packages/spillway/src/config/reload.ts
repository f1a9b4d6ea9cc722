/**
 * Keeps settings up to date with their files: a valid change applies to the next call, an invalid
 * one is told once and changes nothing.
 */

import type { Spillway } from '@spillway/core';
import type { OwnPatterns } from '@spillway/core/plugin';
import { CONFIG_GROUP, type Config, loadConfig } from './load.ts';
import { type ConfigSources, configFiles, configLocations } from './locations.ts';
import { watchFiles } from './watch.ts';

export interface Reloading {
  stop(): Promise<void>;
}

export function reloadOnChange(
  sources: ConfigSources,
  loaded: Config,
  spillway: Pick<Spillway, 'settings' | 'setOwnPatterns'>,
  onError: (error: Error) => void = warn,
): Reloading {
  let applied = JSON.stringify(loaded.layers);
  let own = sourcesOf(loaded.own);
  let lastReport = '';
  const passedOver = loaded.passedOver.map(({ error }) => error.message);
  const reload = async (): Promise<void> => {
    try {
      const config = await loadConfig({ ...sources, passOver: true });
      // What was passed over from the start was told then.
      const fresh = config.passedOver.find(({ error }) => !passedOver.includes(error.message));
      if (fresh !== undefined) throw fresh.error;
      const found = JSON.stringify(config.layers);
      if (found !== applied) spillway.settings.replace(CONFIG_GROUP, config.layers);
      if (sourcesOf(config.own) !== own) spillway.setOwnPatterns(config.own);
      applied = found;
      own = sourcesOf(config.own);
      lastReport = '';
    } catch (error) {
      const problem = error instanceof Error ? error : new Error(String(error));
      // An editor may touch a file several times: the same problem is told once. What the host then
      // throws is its own affair.
      if (problem.message !== lastReport) queueMicrotask(() => onError(problem));
      lastReport = problem.message;
    }
  };
  return watchFiles(
    configFiles(configLocations(sources)).map((file) => file.path),
    reload,
  );
}

function sourcesOf({ errors, warnings, secrets = [] }: OwnPatterns): string {
  return JSON.stringify([errors, warnings, secrets].map((list) => list.map(({ source }) => source)));
}

function warn(error: Error): void {
  process.emitWarning(`The former settings stay. ${error.message}`, 'SpillwayConfigWarning');
}
