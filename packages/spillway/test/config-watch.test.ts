// open({ watch: true }): files with settings are watched while a host runs.
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type Opened, open } from 'spillway';
import { afterEach, expect, test, vi } from 'vitest';
import {
  definition,
  type Files,
  general,
  type Place,
  placeWith,
  TOOLS,
  USER,
  WORKSPACE,
} from './config-files.ts';

const opened: Opened[] = [];

afterEach(async () => {
  for (const { spillway } of opened.splice(0)) await spillway.close();
});

async function watched(files: Files = {}): Promise<{
  place: Place;
  errors: string[];
  limit: (tool?: string) => number;
  close: () => Promise<void>;
}> {
  const place = await placeWith(files);
  const errors: string[] = [];
  const one = await open({
    workspace: place.root,
    store: null,
    env: { HOME: place.home },
    watch: true,
    onConfigError: (error) => errors.push(error.message),
  });
  opened.push(one);
  return {
    place,
    errors,
    limit: (tool = 'x') => one.spillway.explain(tool).policy.inlineLimit,
    close: () => one.spillway.close(),
  };
}

const soon = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 20 });

test('a valid change applies to the next call, however often it happens', async () => {
  const { place, limit, errors } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  expect(limit()).toBe(1_000);
  for (const chars of [2_000, 3_000]) {
    await place.write({ [WORKSPACE]: general(`max_chars: ${chars}`) });
    await soon(() => expect(limit()).toBe(chars));
  }
  expect(errors).toEqual([]);
});

test('an invalid change is told once and the last good settings stay, until the file is good again', async () => {
  const { place, limit, errors } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  await place.write({ [WORKSPACE]: general('max_chars: 5') });
  await soon(() => expect(errors).toHaveLength(1));
  expect(errors[0]).toMatch(/^\.acode\/config\.yml:3: max_chars must be a whole number of at least 300/);
  await place.write({ [WORKSPACE]: general('max_chars: 5 # still') });
  await wait(300);
  expect(errors).toHaveLength(1);
  expect(limit()).toBe(1_000);
  await place.write({ [WORKSPACE]: general('strategy: tale') });
  await soon(() => expect(errors).toHaveLength(2));
  expect(limit()).toBe(1_000);
  await place.write({ [WORKSPACE]: general('max_chars: 1500') });
  await soon(() => expect(limit()).toBe(1_500));
});

test('a file that goes takes its settings with it; its folder may go and come back', async () => {
  const { place, limit } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  await rm(place.path(WORKSPACE));
  await soon(() => expect(limit()).toBe(8_000));
  await rm(place.path('.acode'), { recursive: true });
  await wait(200);
  await place.write({ [WORKSPACE]: general('max_chars: 1100') });
  await soon(() => expect(limit()).toBe(1_100));
});

test('files and folders that appear are read, also those of the user', async () => {
  const { place, limit } = await watched();
  await place.write({ [USER]: general('max_chars: 1000') });
  await soon(() => expect(limit()).toBe(1_000));
  await place.write({ [TOOLS]: definition('x', 'max_chars: 1200') });
  await soon(() => expect([limit(), limit('y')]).toEqual([1_200, 1_000]));
  await place.write({ [USER]: general('max_chars: 1300') });
  await soon(() => expect(limit('y')).toBe(1_300));
});

test('a file that is renamed into place and one behind a link are noticed', async () => {
  const { place, limit } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  await place.write({ [`${WORKSPACE}.tmp`]: general('max_chars: 2000') });
  await rename(place.path(`${WORKSPACE}.tmp`), place.path(WORKSPACE));
  await soon(() => expect(limit()).toBe(2_000));
  await place.write({ '../elsewhere/tools.yaml': definition('x', 'max_chars: 2100') });
  await symlink(place.path('../elsewhere/tools.yaml'), place.path(TOOLS));
  await soon(() => expect(limit()).toBe(2_100));
  await place.write({ '../elsewhere/tools.yaml': definition('x', 'max_chars: 2200') });
  await soon(() => expect(limit()).toBe(2_200));
});

test('nothing is watched once it is closed, nor without being asked to', async () => {
  const { place, limit, close } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  await close();
  const still = await open({ workspace: place.root, store: null, env: { HOME: place.home } });
  opened.push(still);
  await mkdir(place.path('.acode/other'));
  await place.write({ [WORKSPACE]: general('max_chars: 2000') });
  await wait(400);
  expect(limit()).toBe(1_000);
  expect(still.spillway.explain('x').policy.inlineLimit).toBe(1_000);
});

test('a configuration that is wrong from the start opens nothing', async () => {
  const place = await placeWith({ [WORKSPACE]: general('max_chars: 5') });
  const env = { HOME: place.home };
  await expect(open({ workspace: place.root, env, watch: true })).rejects.toMatchObject({
    code: 'invalid_policy',
  });
});
