// @module-tag browser
// @module-tag full
import { openTestServer } from '@coppice/server/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { builtPageFolder } from './browser.ts';
import { ensurePageBuilt, expectEventually, openTestBrowser } from './page-fixture.ts';

/** Returns everything that the browser stores of chats: addresses and texts of its copies, and its local storage. */
function storedTexts(page: Page): Promise<string> {
  return page.evaluate(`(async () => {
    const texts = [JSON.stringify(localStorage)];
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys()) {
        if (request.url.includes('/api/')) texts.push(request.url, await (await caches.match(request)).text());
      }
    return texts.join('\\n');
  })()`);
}

test('[B320, B321] the page and the last chats open without the server; purging a chat and signing out clear what the browser has of them', async () => {
  await ensurePageBuilt();
  const server = await openTestServer({ store: 'sqlite', web: builtPageFolder });
  let running = await server.listen();
  const { port, url } = running;
  const browser = await openTestBrowser();
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', serviceWorkers: 'allow' });
  const page = await context.newPage();
  const create = async (title: string, text: string, more: object = {}): Promise<string> => {
    // Temporary chats exist only in the process that listens, so this one is created over HTTP.
    const made = await fetch(`${url}/api/trees`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title, messages: [{ role: 'user', content: text }], ...more }),
    });
    const { treeId }: { readonly treeId: string } = JSON.parse(await made.text());
    return treeId;
  };
  const bread = await create('Bread', 'How is sourdough made?');
  const plums = await create('Plums', 'When are plums ripe?');
  const secret = await create('Secret', 'A word that nobody keeps', { temporary: true });

  await page.goto(`${url}/?token=${server.token}`);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  for (const [id, text] of [
    [secret, 'A word that nobody keeps'],
    [plums, 'When are plums ripe?'],
    [bread, 'How is sourdough made?'],
  ]) {
    await page.goto(`${url}/t/${id}`);
    await page
      .getByTestId('thread')
      .getByText(text ?? '')
      .waitFor();
  }
  await page.getByRole('textbox', { name: /message/i }).fill('A draft about flour');
  await expectEventually(() => storedTexts(page)).toContain('How is sourdough made?');
  await expectEventually(() => storedTexts(page)).toContain('When are plums ripe?');
  await expectEventually(() => storedTexts(page)).toContain('A draft about flour');
  expect(await storedTexts(page)).not.toContain('A word that nobody keeps');
  expect(await storedTexts(page)).not.toContain(`/api/trees/${secret}`);

  await running.close();
  await page.goto(`${url}/t/${plums}`);
  await page.getByTestId('thread').getByText('When are plums ripe?').waitFor();
  await page.getByText('Offline').first().waitFor();
  await page.goto(`${url}/t/${bread}`);
  await page.getByTestId('thread').getByText('How is sourdough made?').waitFor();
  await expectEventually(() => page.getByRole('textbox', { name: /message/i }).inputValue()).toBe(
    'A draft about flour',
  );

  // The chat is purged by another client; the next contact removes its copy and its draft, and nothing else.
  running = await server.listen({ port });
  await server.ask('DELETE', `/api/trees/${bread}`);
  expect((await server.ask('DELETE', `/api/trees/${bread}?purge=true`)).body.state).toBe('purged');
  await page.goto(url);
  await expectEventually(() => storedTexts(page)).not.toContain('sourdough');
  await expectEventually(() => storedTexts(page)).not.toContain('A draft about flour');
  expect(await storedTexts(page)).toContain('When are plums ripe?');

  const draft = async (words: string) => {
    await page.goto(`${url}/t/${plums}`);
    await page.getByRole('textbox', { name: /message/i }).fill(words);
    await expectEventually(() => storedTexts(page)).toContain(words);
    await expectEventually(() => storedTexts(page)).toContain('When are plums ripe?');
  };
  // After the session has ended nothing can be read, but the user keeps the draft.
  await draft('A draft about plums');
  await context.clearCookies();
  await page.goto(`${url}/t/${plums}`);
  await expectEventually(() => storedTexts(page)).not.toContain('When are plums ripe?');
  expect(await storedTexts(page)).toContain('A draft about plums');
  await page.goto(`${url}/?token=${server.token}`);
  // Another user was signed in before; nothing of that user stays.
  await draft('A draft of somebody else');
  await page.evaluate("localStorage.setItem('coppice.offline-owner', 'somebody')");
  await page.goto(`${url}/settings`);
  await expectEventually(() => storedTexts(page)).not.toContain('A draft of somebody else');

  await draft('Another draft about plums');
  await page.goto(`${url}/settings/access`);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectEventually(() => storedTexts(page)).not.toMatch(/plums/i);
  await browser.close();
  await running.close();
  await server.close();
});

test('[B320] the page can be installed: its manifest names icons that exist', async () => {
  await ensurePageBuilt();
  const server = await openTestServer({ web: builtPageFolder });
  const text = await (await server.raw('GET', '/manifest.webmanifest', { token: null })).text();
  const manifest: { readonly icons: readonly { readonly src: string; readonly type: string }[] } = JSON.parse(text);
  expect(manifest).toMatchObject({ name: 'Coppice', start_url: '/', display: 'standalone' });
  for (const { src, type } of manifest.icons) {
    const icon = await server.raw('GET', src, { token: null });
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type]);
  }
  const worker = await server.raw('GET', '/service-worker.js', { token: null });
  expect([worker.status, worker.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  expect(await worker.text()).not.toMatch(/^\s*(?:import|export)\b/m);
  await server.close();
});
