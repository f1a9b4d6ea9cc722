/** Keeps settings up to date with their files: a valid change applies to the next call, an invalid one is told once and changes nothing. */
import type { Settings } from '@spillway/core';
import { CONFIG_GROUP, type Config, loadConfig } from './load.ts';
import { type ConfigSources, configFiles, configLocations } from './locations.ts';
import { watchFiles } from './watch.ts';

export interface Reloading {
  /** Ends the watch; resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

export function reloadOnChange(
  sources: ConfigSources,
  loaded: Config,
  settings: Settings,
  onError: (error: Error) => void = warn,
): Reloading {
  let applied = JSON.stringify(loaded.layers);
  let told = '';
  const reload = async (): Promise<void> => {
    try {
      const { layers } = await loadConfig(sources);
      const found = JSON.stringify(layers);
      if (found !== applied) settings.replace(CONFIG_GROUP, layers);
      applied = found;
      told = '';
    } catch (error) {
      const problem = error instanceof Error ? error : new Error(String(error));
      // An editor may touch a file several times: the same problem is told once. What the host then throws is its own affair.
      if (problem.message !== told) queueMicrotask(() => onError(problem));
      told = problem.message;
    }
  };
  return watchFiles(
    configFiles(configLocations(sources)).map((file) => file.path),
    reload,
  );
}

function warn(error: Error): void {
  process.emitWarning(`The former settings stay. ${error.message}`, 'SpillwayConfigWarning');
}
