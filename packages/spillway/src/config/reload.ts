/**
 * Keeps settings up to date with their files: a valid change applies to the next call, an invalid
 * one is told once and changes nothing.
 */

import { existsSync, type FSWatcher, realpathSync, unwatchFile, watch, watchFile } from 'node:fs';
import { basename, dirname } from 'node:path';
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

// Tells when a file may have changed, appeared or vanished. Folders are watched, not files, so that
// an editor that writes aside and renames is noticed; of a folder that is not there yet, the
// nearest one above. After each change everything is watched anew, before the files are read: a
// change in between is never missed. Where the system cannot watch, the files are looked at every
// two seconds.

const DEBOUNCE_MS = 100;
const POLL_MS = 2_000;

/**
 * Calls `changed` some time after the last of several changes; never while a former call is still
 * at work. Holds no process alive.
 */
function watchFiles(files: readonly string[], changed: () => Promise<void>): Reloading {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let working: Promise<void> = Promise.resolve();

  const soon = (): void => {
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(async () => {
        if (stopped) return;
        rewatch();
        await changed();
      });
    }, DEBOUNCE_MS);
    timer.unref();
  };
  const rewatch = (): void => {
    for (const watcher of watchers) watcher.close();
    watchers = [];
    try {
      for (const [folder, names] of foldersOf(files)) watchers.push(watchFolder(folder, names, soon));
    } catch {
      // Too many watches, or a file system without them: slower, but it works.
      for (const file of files) {
        unwatchFile(file, soon);
        watchFile(file, { interval: POLL_MS, persistent: false }, soon);
      }
    }
  };

  rewatch();
  // What changed since the files were read.
  soon();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      for (const file of files) unwatchFile(file, soon);
      return working;
    },
  };
}

function watchFolder(folder: string, names: ReadonlySet<string>, soon: () => void): FSWatcher {
  const watcher = watch(folder, { persistent: false }, (_, name) => {
    if (name === null || names.has(name)) soon();
  });
  // A folder that goes away is an error on some systems; the one above tells the rest.
  watcher.on('error', soon);
  return watcher;
}

function foldersOf(files: readonly string[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const add = (path: string): void => {
    const folder = dirname(path);
    // A folder that is removed and made again is told by the one above it.
    const known = folders.get(folder) ?? new Set([basename(folder)]);
    folders.set(folder, known.add(basename(path)));
  };
  for (const file of files) {
    let path = file;
    while (!existsSync(dirname(path)) && dirname(path) !== path) path = dirname(path);
    add(path);
    if (path === file) add(dirname(file));
    const target = linkTarget(file);
    if (target !== file) add(target);
  }
  return folders;
}

/** What a link leads to; the file itself where it is none, or leads nowhere. */
function linkTarget(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
