/** A server, a browser and pages, for tests of the whole page. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMemorySecretRecords } from '@coppice/engine';
import { openTestServer, type TestServer, type TestServerOptions } from '@coppice/server/testing';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { build } from 'vite';
import { expect, inject } from 'vitest';
import { builtPageFolder, connectBrowser, launchBrowser } from './browser.ts';
import { makeOnce } from './make-once.ts';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  let time = 0;
  for (const name of readdirSync(path)) time = Math.max(time, newest(join(path, name)));
  return time;
}

function isFresh(): boolean {
  const index = join(builtPageFolder, 'index.html');
  if (!existsSync(index)) return false;
  const sources = [
    'src',
    'public',
    'index.html',
    'vite.config.ts',
    'package.json',
    '../core/src',
    '../content/src',
    '../client/src',
    '../react/src',
  ];
  const time = statSync(index).mtimeMs;
  return sources.every((source) => newest(join(packageFolder, source)) <= time);
}

const patienceMs = 60_000;

/** The properties of elements that tests use; browser types are not available here. */
export interface BrowserElement {
  readonly scrollHeight: number;
  readonly scrollTop: number;
  readonly clientHeight: number;
  scrollTo(left: number, top: number): void;
  matches(selector: string): boolean;
}

/** Builds the page if its sources are newer than the build; one process builds, the others wait. */
export async function ensurePageBuilt(): Promise<void> {
  await makeOnce('web-build', isFresh, async () => {
    const before = process.env.NODE_ENV;
    await build({ root: packageFolder, logLevel: 'error', configFile: join(packageFolder, 'vite.config.ts') });
    // The page is always built for production; the environment of the tests is restored.
    if (before !== undefined) process.env.NODE_ENV = before;
  });
}

/** A signed-in page and its errors. */
export interface PageTab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors, violations of the content security policy, and requests to other hosts. Tests expect an empty list. */
  readonly faults: string[];
}

/** Options of a tab, in addition to those of its browser context. */
export interface PageTabOptions extends BrowserContextOptions {
  /** An existing context, whose storage and sign-in the tab shares. */
  readonly context?: BrowserContext;
  /** Delays every API response by up to this many milliseconds; `COPPICE_SLOW_MS` sets it for all tabs. */
  readonly lateMs?: number;
}

export interface PageFixture {
  readonly server: TestServer;
  readonly url: string;
  readonly browser: Browser;
  /** Opens a signed-in tab at a path and waits until it is drawn; tabs of one context share browser storage. */
  open(path?: string, options?: PageTabOptions): Promise<PageTab>;
  close(): Promise<void>;
}

/** Collects the errors of a page, violations of its policy, and requests to other hosts. */
export function collectPageFaults(page: Page, origin: string, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|Refused to|violates the following/i.test(text)) faults.push(`policy: ${text}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(origin) && !/^(?:data|blob):/.test(address)) faults.push(`request: ${address}`);
  });
}

/** Delays each response by its own time, so that a test that acts before the page is ready fails often, not rarely. */
async function makeLate(context: BrowserContext, most: number): Promise<void> {
  await context.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
    await route.continue().catch(() => undefined);
  });
}

/** Starts an assertion that is retried until it passes, for up to a minute: `expectEventually(read).toBe(1)`. */
export function expectEventually<T>(read: () => T | Promise<T>) {
  return expect.poll(read, { interval: 60 });
}

/** Creates a promise that the test resolves when a request may continue. */
export function createDeferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

/** Connects to the browser of the test run, without a server. */
export function openTestBrowser(): Promise<Browser> {
  return connectBrowser(inject('browserBroker'));
}

/** Builds the page, and starts a server and a browser. */
export async function openPageFixture(options: TestServerOptions = {}): Promise<PageFixture> {
  await ensurePageBuilt();
  const server = await openTestServer({
    store: 'sqlite',
    web: builtPageFolder,
    keys: createMemorySecretRecords(),
    ...options,
  });
  const { url, signInUrl } = await server.listen();
  // Screenshots and benchmarks open pages outside of a test run.
  const isTestRun = process.env.VITEST !== undefined;
  const browser = await (isTestRun ? connectBrowser(inject('browserBroker')) : launchBrowser());
  return {
    server,
    url,
    browser,
    async open(path = '/', { context: given, lateMs = Number(process.env.COPPICE_SLOW_MS ?? 0), ...wish } = {}) {
      const context =
        given ??
        (await browser.newContext({
          viewport: { width: 1440, height: 900 },
          locale: 'en-GB',
          reducedMotion: 'reduce',
          // A service worker would load the page's files once more in every tab.
          serviceWorkers: 'block',
          ...wish,
        }));
      if (given === undefined && lateMs > 0) await makeLate(context, lateMs);
      // Selects the scripted model, as if the user had chosen it.
      await context.addInitScript("if (self === top) localStorage.setItem('coppice.chosen-models', 'scripted/one')");
      const page = await context.newPage();
      page.setDefaultTimeout(patienceMs);
      const faults: string[] = [];
      collectPageFaults(page, url, faults);
      if (given === undefined && signInUrl !== null) await page.goto(signInUrl);
      if (given !== undefined || path !== '/') await page.goto(url + path);
      // The page is drawn after it is loaded; until then keys have no effect.
      await page.locator('body > div > *').first().waitFor({ state: 'attached' });
      return { page, context, faults };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
