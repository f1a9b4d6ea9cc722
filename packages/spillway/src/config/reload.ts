/**
 * Keeps settings up to date with their files: a valid change applies to the next call, an invalid
 * one is told once and changes nothing.
 */

import { unwatchFile, watchFile } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Spillway } from '@spillway/core';
import type { OwnPatterns } from '@spillway/core/plugin';
import { CONFIG_GROUP, type Config, loadConfig } from './load.ts';
import { type ConfigSources, configFiles, configLocations } from './locations.ts';

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

/** How often the files are looked at. */
const POLL_MS = 500;
/** How long a program may take to write a file. */
const SETTLED_MS = 50;

/**
 * Calls `changed` when a file changed, appeared or vanished, and once at first, for what changed since
 * the files were read; never while a former call is still at work. Holds no process alive. The files
 * are polled: that also notices links, folders that are made later, and editors that write aside and
 * rename, on every file system.
 */
function watchFiles(files: readonly string[], changed: () => Promise<void>): Reloading {
  let stopped = false;
  let working: Promise<void> = Promise.resolve();
  const noticed = (): void => {
    working = working.then(() => wait(SETTLED_MS)).then(() => (stopped ? undefined : changed()));
  };
  for (const file of files) watchFile(file, { interval: POLL_MS, persistent: false }, noticed);
  setTimeout(noticed, POLL_MS).unref();
  return {
    stop() {
      stopped = true;
      for (const file of files) unwatchFile(file, noticed);
      return working;
    },
  };
}
