// open({ watch: true }): files with settings are watched while a host runs.
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type Opened, open } from 'spillway';
import { afterEach, expect, test, vi } from 'vitest';
import {
  definition,
  type Files,
  general,
  type Setup,
  setupWith,
  TOOLS,
  USER,
  WORKSPACE,
} from './config-files.ts';

const opened: Opened[] = [];

afterEach(async () => {
  for (const { spillway } of opened.splice(0)) await spillway.close();
});

async function watched(files: Files = {}): Promise<{
  setup: Setup;
  errors: string[];
  limit: (tool?: string) => number;
  close: () => Promise<void>;
}> {
  const setup = await setupWith(files);
  const errors: string[] = [];
  const one = await open({
    workspace: setup.root,
    store: null,
    env: { HOME: setup.home },
    watch: true,
    onConfigError: (error) => errors.push(error.message),
  });
  opened.push(one);
  return {
    setup: setup,
    errors,
    limit: (tool = 'x') => one.spillway.explain(tool).policy.inlineLimit,
    close: () => one.spillway.close(),
  };
}

const soon = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 20 });

test('a valid change applies to the next call, however often it happens', async () => {
  const { setup, limit, errors } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  expect(limit()).toBe(1_000);
  for (const chars of [2_000, 3_000]) {
    await setup.write({ [WORKSPACE]: general(`max_chars: ${chars}`) });
    await soon(() => expect(limit()).toBe(chars));
  }
  expect(errors).toEqual([]);
});

test('an invalid change is told once and the last good settings stay, until the file is good again', async () => {
  const { setup, limit, errors } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  await setup.write({ [WORKSPACE]: general('max_chars: 5') });
  await soon(() => expect(errors).toHaveLength(1));
  expect(errors[0]).toMatch(/^\.acode\/config\.yml:3: max_chars must be a whole number of at least 300/);
  await setup.write({ [WORKSPACE]: general('max_chars: 5 # still') });
  await wait(1_200);
  expect(errors).toHaveLength(1);
  expect(limit()).toBe(1_000);
  await setup.write({ [WORKSPACE]: general('strategy: tale') });
  await soon(() => expect(errors).toHaveLength(2));
  expect(limit()).toBe(1_000);
  await setup.write({ [WORKSPACE]: general('max_chars: 1500') });
  await soon(() => expect(limit()).toBe(1_500));
});

test('a file that goes takes its settings with it; its folder may go and come back', async () => {
  const { setup, limit } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  await rm(setup.path(WORKSPACE));
  await soon(() => expect(limit()).toBe(8_000));
  await rm(setup.path('.acode'), { recursive: true });
  await wait(200);
  await setup.write({ [WORKSPACE]: general('max_chars: 1100') });
  await soon(() => expect(limit()).toBe(1_100));
});

test('files and folders that appear are read, also those of the user', async () => {
  const { setup, limit } = await watched();
  await setup.write({ [USER]: general('max_chars: 1000') });
  await soon(() => expect(limit()).toBe(1_000));
  await setup.write({ [TOOLS]: definition('x', 'max_chars: 1200') });
  await soon(() => expect([limit(), limit('y')]).toEqual([1_200, 1_000]));
  await setup.write({ [USER]: general('max_chars: 1300') });
  await soon(() => expect(limit('y')).toBe(1_300));
});

test('a file that is renamed into place and one behind a link are noticed', async () => {
  const { setup, limit } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  await setup.write({ [`${WORKSPACE}.tmp`]: general('max_chars: 2000') });
  await rename(setup.path(`${WORKSPACE}.tmp`), setup.path(WORKSPACE));
  await soon(() => expect(limit()).toBe(2_000));
  await setup.write({ '../elsewhere/tools.yaml': definition('x', 'max_chars: 2100') });
  await symlink(setup.path('../elsewhere/tools.yaml'), setup.path(TOOLS));
  await soon(() => expect(limit()).toBe(2_100));
  await setup.write({ '../elsewhere/tools.yaml': definition('x', 'max_chars: 2200') });
  await soon(() => expect(limit()).toBe(2_200));
});

test('nothing is watched once it is closed, nor without being asked to', async () => {
  const { setup, limit, close } = await watched({ [WORKSPACE]: general('max_chars: 1000') });
  await close();
  const still = await open({ workspace: setup.root, store: null, env: { HOME: setup.home } });
  opened.push(still);
  await mkdir(setup.path('.acode/other'));
  await setup.write({ [WORKSPACE]: general('max_chars: 2000') });
  await wait(1_200);
  expect(limit()).toBe(1_000);
  expect(still.spillway.explain('x').policy.inlineLimit).toBe(1_000);
});

test("a file of the user's that is wrong from the start opens nothing", async () => {
  const setup = await setupWith({ [USER]: general('max_chars: 5') });
  const env = { HOME: setup.home };
  await expect(open({ workspace: setup.root, env, watch: true })).rejects.toMatchObject({
    code: 'invalid_policy',
  });
});

test('a file of the workspace that is wrong from the start is passed over, and holds no change back', async () => {
  const setup = await setupWith({ [WORKSPACE]: general('max_chars: 5') });
  const reports: Error[] = [];
  const { spillway } = await open({
    workspace: setup.root,
    env: { HOME: setup.home },
    watch: true,
    store: null,
    onConfigError: (error) => reports.push(error),
  });
  const limit = () => spillway.explain('x').policy.inlineLimit;
  expect(limit()).toBe(8_000);
  await setup.write({ [USER]: general('max_chars: 700') });
  await expect.poll(limit, { timeout: 10_000 }).toBe(700);
  await setup.write({ [WORKSPACE]: general('max_chars: 900') });
  await expect.poll(limit, { timeout: 10_000 }).toBe(900);
  expect(reports).toEqual([]);
  await spillway.close();
});
