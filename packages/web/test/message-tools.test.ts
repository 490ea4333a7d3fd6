// @module-tag browser
// @module-tag full
import { makeTextEvents } from '@coppice/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

let fixture: PageFixture;

/** Replies wait for this promise, so that the test decides when they end. */
let gate: Promise<void> = Promise.resolve();
let ending: 'stop' | 'length' = 'stop';

beforeAll(async () => {
  fixture = await openPageFixture({
    replies: [
      async function* () {
        await gate;
        yield* makeTextEvents('A slow reply.', ending);
      },
    ],
  });
});
afterAll(() => fixture.close());

async function done(tab: PageTab): Promise<void> {
  expect(tab.faults).toEqual([]);
  await tab.context.close();
}

async function createChat(
  answer = 'Use **flour** and water.',
): Promise<{ readonly id: string; readonly reply: string }> {
  const messages = [
    { role: 'user', content: 'How do I bake bread?' },
    { role: 'assistant', content: answer },
  ];
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Bread', messages } });
  return { id: body.treeId, reply: body.activeNodeId ?? body.tree.activeNodeId };
}

test('[B314] a reply is rated by thumbs, by keyboard too; the rating is metadata of its message and can be undone', async () => {
  const { id, reply } = await createChat();
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  const row = page.locator(`[data-node-id="${reply}"]`);
  await row.getByText('flour').waitFor();
  await row.hover();
  const rating = async () => (await fixture.server.ask('GET', `/api/trees/${id}/nodes/${reply}`)).body.node.meta.rating;
  await row.getByRole('button', { name: 'Good reply' }).focus();
  await page.keyboard.press('Enter');
  await expectEventually(rating).toBe('good');
  await row.getByRole('button', { name: 'Bad reply' }).click();
  await expectEventually(rating).toBe('bad');
  expect(await findSeriousViolations(tab)).toEqual([]);
  await row.getByRole('button', { name: 'Remove rating' }).click();
  await expectEventually(rating).toBe(undefined);
  await page.getByRole('button', { name: /^Undo/ }).first().click();
  await expectEventually(rating).toBe('bad');
  // Messages of the user have no rating buttons.
  await expectEventually(() => page.locator('article.you').getByRole('button', { name: 'Good reply' }).count()).toBe(0);
  await done(tab);
});

// A headless browser has no microphone and no voices, so these objects replace them with the same interface.
const speech = `
  globalThis.spoken = [];
  Object.defineProperty(globalThis, 'speechSynthesis', { value: { speak: (one) => spoken.push(one), cancel: () => spoken.push(null) } });
  globalThis.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  globalThis.SpeechRecognition = class {
    start() { globalThis.listening = this; }
    stop() { globalThis.listening = null; this.onend(); }
  };`;

test('[B311] a message is read aloud without its markup, and what is said is written into the composer, where the browser can', async () => {
  const { id, reply } = await createChat('Use **flour**.\n\n- and `water`');
  const tab = await fixture.open('/');
  const { page } = tab;
  await page.addInitScript(speech);
  await page.goto(`${fixture.url}/t/${id}`);
  const row = page.locator(`[data-node-id="${reply}"]`);
  await row.getByText('flour').waitFor();
  const openMenu = async () => {
    await row.hover();
    await row.getByRole('button', { name: 'More' }).click();
  };
  await openMenu();
  await page.getByRole('menuitem', { name: 'Read aloud' }).click();
  await expectEventually(() => page.evaluate('spoken.filter(Boolean).map((one) => one.text).join("|")')).toMatch(
    /^Use flour\.\|.*and water$/,
  );
  await openMenu();
  await page.getByRole('menuitem', { name: 'Stop reading aloud' }).click();
  await expectEventually(() => page.evaluate('spoken.at(-1)')).toBe(null);
  await openMenu();
  await page.getByRole('menuitem', { name: 'Read aloud' }).click();
  await expectEventually(() => page.evaluate('spoken.at(-1)?.text ?? ""')).toMatch(/and water$/);
  await page.getByRole('link', { name: 'Settings' }).click();
  await expectEventually(() => page.evaluate('spoken.at(-1)')).toBe(null);
  await page.getByRole('link', { name: 'Back to chats' }).click();
  await row.getByText('flour').waitFor();
  const composer = page.getByRole('textbox', { name: /message/i });
  await composer.fill('Dear model,');
  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.evaluate(
    "listening.onresult({ resultIndex: 0, results: [{ isFinal: false, 0: { transcript: 'what' } }, { isFinal: true, 0: { transcript: ' what is rye?' } }] })",
  );
  await expectEventually(() => composer.inputValue()).toBe('Dear model, what is rye?');
  expect(await findSeriousViolations(tab)).toEqual([]);
  await page.getByRole('button', { name: 'Stop dictating' }).click();
  await expectEventually(() => page.evaluate('globalThis.listening')).toBe(null);
  // A browser without voices refuses each part of a text.
  await openMenu();
  await page.getByRole('menuitem', { name: 'Read aloud' }).click();
  await expectEventually(() => page.evaluate('spoken.at(-1)?.text ?? ""')).toMatch(/and water$/);
  await page.evaluate("spoken.at(-1).onerror({ error: 'synthesis-unavailable' })");
  await page.getByText('Reading aloud did not work').waitFor();
  // Without speech support the page offers neither button.
  const plain = await fixture.open('/');
  await plain.page.addInitScript('delete globalThis.SpeechRecognition; delete globalThis.webkitSpeechRecognition');
  await plain.page.goto(`${fixture.url}/t/${id}`);
  await plain.page.getByText('flour').first().waitFor();
  expect(await plain.page.getByRole('button', { name: 'Dictate' }).count()).toBe(0);
  await done(plain);
  await done(tab);
});

test.each([390, 320])('[B311] dictation can be reached on a phone of %i px', async (width) => {
  const { id } = await createChat('Use flour.');
  const tab = await fixture.open('/', { viewport: { width, height: 700 }, hasTouch: true, isMobile: true });
  const { page } = tab;
  await page.addInitScript(speech);
  await page.goto(`${fixture.url}/t/${id}`);
  await page.getByTestId('thread').getByText('flour').waitFor();
  const button = page.getByRole('button', { name: 'Dictate' });
  const box = await button.boundingBox();
  expect(box).not.toBeNull();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  await button.tap();
  await page.evaluate(
    "listening.onresult({ resultIndex: 0, results: [{ isFinal: true, 0: { transcript: 'Rye?' } }] })",
  );
  await expectEventually(() => page.getByRole('textbox', { name: /message/i }).inputValue()).toBe('Rye?');
  for (const name of ['Attach files', 'Send'])
    expect((await page.getByRole('button', { name }).first().boundingBox())?.x ?? width).toBeLessThan(width - 30);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  await done(tab);
});

// Headless browsers show no notifications, so this class records them.
const notifications = `
  globalThis.notified = [];
  globalThis.asked = 0;
  globalThis.Notification = class {
    static permission = 'default';
    static async requestPermission() { asked += 1; this.permission = 'granted'; return 'granted'; }
    constructor(title, options) { notified.push(title + ': ' + options.body); }
    close() {}
  };`;

// A headless browser does not hide a tab behind another one, so this script does what it would do.
const hidingScript = (hidden: boolean) => `
  Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
  Object.defineProperty(document, 'visibilityState', { value: '${hidden ? 'hidden' : 'visible'}', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));`;

const workerOnly = `
  globalThis.Notification = class {
    static permission = 'granted';
    constructor() { throw new TypeError('Illegal constructor.'); }
  };
  const showNotification = async (title, options) => void notified.push(options.data);
  Object.defineProperty(navigator, 'serviceWorker', { value: { getRegistration: async () => ({ showNotification }) } });`;

test('[B312] the user is notified of the end of a long reply in a hidden tab, after this was offered once', async () => {
  const { id } = await createChat();
  const tab = await fixture.open('/');
  const { page } = tab;
  await page.addInitScript(notifications);
  // The test controls the clock, so that a long reply takes no longer than a short one.
  await page.clock.install();
  await page.goto(`${fixture.url}/t/${id}`);
  await page.getByTestId('thread').getByText('flour').waitFor();
  const ask = async (what: string) => {
    let release: () => void = () => undefined;
    gate = new Promise((resolve) => {
      release = resolve;
    });
    await page.getByRole('textbox', { name: /message/i }).fill(what);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).first().waitFor();
    return release;
  };
  const first = await ask('A long one?');
  await page.clock.fastForward(11_000);
  const offer = page.getByRole('status').filter({ hasText: 'Show a notification' });
  await offer.getByRole('button', { name: 'Turn on' }).click();
  await expectEventually(() => page.evaluate('asked')).toBe(1);
  await page.evaluate(hidingScript(true));
  first();
  await expectEventually(() => page.evaluate('notified.join()')).toBe('Reply finished: Bread');
  // If only a service worker may show notifications, as on Android, the page uses the service worker.
  await page.evaluate(workerOnly);
  const last = await ask('One more long one?');
  await page.clock.fastForward(11_000);
  last();
  await expectEventually(() => page.evaluate('notified.join()')).toBe(`Reply finished: Bread,/t/${id}`);
  // A short reply, and one that ends while the tab is visible, show no notification; the offer is not repeated.
  const second = await ask('A short one?');
  second();
  await expectEventually(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  await page.evaluate(hidingScript(false));
  const third = await ask('Another long one?');
  await page.clock.fastForward(11_000);
  third();
  await expectEventually(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  expect(await page.evaluate('[notified.length, asked]')).toEqual([2, 1]);
  await page.goto(`${fixture.url}/settings/appearance`);
  await page.getByRole('switch', { name: /Notifications/ }).uncheck();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await done(tab);
});

test('[B330] a reply that ended at its maximum length says so, and its rest can be requested', async () => {
  const { id } = await createChat();
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  ending = 'length';
  await page.getByRole('textbox', { name: 'Message' }).fill('A long one?');
  await page.keyboard.press('Enter');
  const strip = page.getByRole('note').filter({ hasText: 'Maximum length reached.' });
  const rest = strip.getByRole('button', { name: 'Ask for the rest' });
  await rest.waitFor();
  ending = 'stop';
  await rest.focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('thread').getByText('Continue exactly where you stopped.').waitFor();
  await expectEventually(() => page.getByTestId('thread').getByText('A slow reply.').count()).toBe(2);
  // The strip stays with its reply; only the end of a branch can be continued.
  await expectEventually(() => rest.count()).toBe(0);
  expect(await strip.count()).toBe(1);
  expect(await findSeriousViolations(tab)).toEqual([]);
  await done(tab);
});

test('[B313] the share dialog says who can read, and that a local address works only here', async () => {
  const { id } = await createChat();
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  await page.getByTestId('thread').getByText('flour').waitFor();
  await page.getByRole('button', { name: 'Share this branch' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Share this branch' });
  await dialog.getByText('Readers need no account.').waitFor();
  await dialog.getByText('This address works only on this computer').waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await done(tab);
});
