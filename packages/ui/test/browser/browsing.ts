/**
 * The inspector as a person sees it: the real program, in a real Chromium. Every page of a test is
 * watched: an error on the console, a report of the content security policy, a request to another
 * host or a page that scrolls sideways fails it.
 */
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { browserProgram } from '../../../spillway/test/browser/browser.ts';
import { startInspector } from '../../../spillway/test/inspector/visiting.ts';
import type { Workspace } from '../../../spillway/test/program.ts';

export const browserPath = browserProgram();
if (browserPath === undefined)
  console.warn('SKIPPED: the inspector was not opened, no browser is installed (apt-get install chromium).');

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--no-first-run',
];
/** One browser for a file, by its flags. */
const launched = new Map<string, Promise<Browser>>();
afterAll(async () => {
  for (const browser of launched.values()) await (await browser).close();
});

/** The pages of a test; they would go on asking for news. */
const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

function browserWith(args: readonly string[]): Promise<Browser> {
  const key = args.join(' ');
  const options = { executablePath: browserPath as string, args: [...QUIET, ...args] };
  const browser = launched.get(key) ?? chromium.launch(options);
  launched.set(key, browser);
  return browser;
}

interface Looks {
  readonly width: 1440 | 390 | 375;
  readonly scheme: 'light' | 'dark';
}

export interface Inspector {
  readonly base: string;
  /** Of its process. */
  readonly pid: number | undefined;
  /** Opens an address of the inspector in a page of its own. */
  open(path: string, looks?: Partial<Looks>): Promise<Watched>;
}

interface Watched {
  readonly page: Page;
  /** Fails if anything went wrong in the page so far, or if it scrolls sideways. */
  readonly isSound: () => Promise<void>;
  /** Fails on any finding of axe; the size of targets is looked at too. */
  readonly isAccessible: () => Promise<void>;
}

interface InspectorOptions {
  readonly workspace: Workspace;
  /** Flags of the browser. */
  readonly args?: readonly string[];
  /** What is started; `spillway inspect` unless told. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the inspector and goes through its start address once; further pages share its key. */
export async function openInspector({
  workspace,
  args = [],
  command,
  env,
}: InspectorOptions): Promise<Inspector> {
  const { url, base, child } = await startInspector(workspace, command, env);
  const browser = await browserWith(args);
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(url);
  await page.waitForURL('**/sessions');
  const storageState = await first.storageState();
  await first.close();
  return {
    base,
    pid: child.pid,
    open: async (path, { width = 1440, scheme = 'dark' } = {}) => {
      const context = await browser.newContext({
        storageState,
        colorScheme: scheme,
        ...(args.some((each) => each.includes('device-scale-factor'))
          ? { viewport: null }
          : {
              viewport: { width, height: width < 820 ? 844 : 900 },
              deviceScaleFactor: width < 820 ? 2 : 1,
            }),
      });
      contexts.push(context);
      return watched(context, base + path);
    },
  };
}

async function watched(context: BrowserContext, url: string): Promise<Watched> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => message.type() === 'error' && wrong.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => wrong.push(`error: ${error.stack}`));
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin)
      wrong.push(`asked another host: ${request.url()}`);
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await page.goto(url);
  return {
    page,
    isSound: async () => {
      expect(wrong).toEqual([]);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(sideways).toBeLessThanOrEqual(0);
    },
    isAccessible: async () => expect(await findings(page)).toEqual([]),
  };
}

/** What axe finds on a page, the size of targets included. */
export async function findings(page: Page): Promise<string[][]> {
  const rules = { 'target-size': { enabled: true } };
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options({ rules }).analyze();
  return violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 160))]);
}
