/** A server, a browser and pages on it, for tests of the whole page. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTestServer, type TestServer, type TestServerOptions } from '@coppice/server/testing';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { build } from 'vite';
import { expect, inject } from 'vitest';
import { builtPage, connectBrowser, launchBrowser } from './browser.ts';
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
  const index = join(builtPage, 'index.html');
  if (!existsSync(index)) return false;
  const sources = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json', '../core/src', '../content/src'];
  const time = statSync(index).mtimeMs;
  return sources.every((source) => newest(join(packageFolder, source)) <= time);
}

const patienceMs = 30_000;

/** What tests ask of an element; the types of a browser are not known here, where Node's are. */
export interface Shown {
  readonly scrollHeight: number;
  readonly scrollTop: number;
  readonly clientHeight: number;
  matches(selector: string): boolean;
}

/** Builds the page if its sources are newer than what is built; one process builds, the others wait for it. */
export async function ensureBuilt(): Promise<void> {
  await makeOnce('web-build', isFresh, async () => {
    const before = process.env.NODE_ENV;
    await build({ root: packageFolder, logLevel: 'error', configFile: join(packageFolder, 'vite.config.ts') });
    // The page is built for use, whatever is said here; who builds it goes on being tested.
    if (before !== undefined) process.env.NODE_ENV = before;
  });
}

/** A page that is signed in, and what went wrong on it. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors, refusals of the content security policy, and requests to another host. None is ever right. */
  readonly faults: string[];
}

/** How a tab is opened. */
export interface TabOptions extends BrowserContextOptions {
  /** A context that is there already. */
  readonly context?: BrowserContext;
  /** Every answer of the API comes late by up to so many milliseconds; `COPPICE_SLOW_MS` says it for all tabs. */
  readonly lateMs?: number;
}

/** A stage to play on. */
export interface PageFixture {
  readonly server: TestServer;
  readonly url: string;
  readonly browser: Browser;
  /** Opens a signed-in tab at a path; tabs of one context share what the browser keeps. */
  open(path?: string, options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

function watch(page: Page, origin: string, faults: string[]): void {
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

/** Each answer comes late by a time of its own, so that what looks or acts before the page is ready fails often, not seldom. */
async function makeLate(context: BrowserContext, most: number): Promise<void> {
  await context.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
    await route.continue().catch(() => undefined);
  });
}

/** What is true soon, however busy the machine is. */
export function soon<T>(look: () => T | Promise<T>) {
  return expect.poll(look, { timeout: patienceMs, interval: 60 });
}

/** Builds the page, starts a server with it and a browser. */
export async function openPageFixture(options: TestServerOptions = {}): Promise<PageFixture> {
  await ensureBuilt();
  const server = await openTestServer({
    store: 'sqlite',
    web: builtPage,
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
          ...wish,
        }));
      if (given === undefined && lateMs > 0) await makeLate(context, lateMs);
      // The scripted model answers, as if somebody had chosen it before.
      await context.addInitScript("localStorage.setItem('coppice.chosen-models', 'scripted/one')");
      const page = await context.newPage();
      page.setDefaultTimeout(patienceMs);
      const faults: string[] = [];
      watch(page, url, faults);
      if (given === undefined && signInUrl !== null) await page.goto(signInUrl);
      if (given !== undefined || path !== '/') await page.goto(url + path);
      return { page, context, faults };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
