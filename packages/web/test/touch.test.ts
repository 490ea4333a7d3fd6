// @module-tag browser
// @module-tag full
import { makeTextEvents } from '@coppice/engine/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { createDemoTree, type DemoTree } from './demo-tree.ts';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

let fixture: PageFixture;
let demo: DemoTree;

beforeAll(async () => {
  fixture = await openPageFixture({
    replies: [
      [
        {
          type: 'error',
          code: 'provider/rate-limited',
          kind: 'unavailable',
          message: 'At its limit.',
          retryable: true,
          retryAfterMs: 6_000,
        },
      ],
      makeTextEvents('Here is the answer.'),
    ],
  });
  demo = await createDemoTree(fixture.server);
});
afterAll(() => fixture.close());

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function done(tab: PageTab): Promise<void> {
  expect(tab.faults).toEqual([]);
  await tab.context.close();
}

/** Moves a finger from one position by a distance, in steps. */
async function drag(page: Page, from: { x: number; y: number }, by: { x: number; y: number }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const at = (share: number) => [{ x: from.x + by.x * share, y: from.y + by.y * share }];
  // Sent together and handled in order: a finger that rests would be a long press.
  await Promise.all([
    session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) }),
    ...[0.25, 0.5, 0.75, 1].map((share) =>
      session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(share) }),
    ),
    session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }),
  ]);
}

/** Returns the centre of a text after the list has stopped scrolling; before that a touch would miss the text. */
async function middleOf(page: Page, words: string): Promise<{ x: number; y: number }> {
  const line = page.getByTestId('thread').getByText(words).first();
  await line.scrollIntoViewIfNeeded();
  let middle = { x: 0, y: 0 };
  await expectEventually(async () => {
    const box = await line.boundingBox();
    if (box === null) return false;
    middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    return page.evaluate(`document.elementFromPoint(${middle.x}, ${middle.y})?.closest('article') !== null`);
  }).toBe(true);
  return middle;
}

/** Swipes until another text appears: on a busy machine a finger may rest, which is not a swipe. */
async function swipe(page: Page, words: string, by: { x: number; y: number }, until: string): Promise<void> {
  const there = page.getByTestId('thread').getByText(until).first();
  for (let tries = 0; tries < 4; tries++) {
    await drag(page, await middleOf(page, words), by);
    const came = await there.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
    if (came) return;
    await page.keyboard.press('Escape');
  }
  await there.waitFor();
}

test('[B77] a horizontal swipe switches to the next variant, a vertical one only scrolls', async () => {
  const tab = await fixture.open(`/t/${demo.id}/${demo.answers[1]}`, phone);
  const { page } = tab;
  await page.getByTestId('thread').getByText('on the standby, after you promote it').first().waitFor();
  await drag(page, await middleOf(page, 'on the standby'), { x: 10, y: -80 });
  await expectEventually(() =>
    page.getByTestId('thread').getByText('on the standby, after you promote it').count(),
  ).toBe(1);
  await swipe(page, 'on the standby', { x: -150, y: 6 }, 'managed blue/green deployment');
  await swipe(page, 'managed blue/green', { x: 150, y: -4 }, 'on the standby, after you promote it');
  await done(tab);
});

test('[B77] a long press opens a sheet with all actions for a message', async () => {
  const tab = await fixture.open(`/t/${demo.id}/${demo.answers[1]}`, phone);
  const { page } = tab;
  const from = await middleOf(page, 'on the standby');
  const session = await page.context().newCDPSession(page);
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
  const sheet = page.getByRole('dialog', { name: 'Message actions' });
  await sheet.waitFor();
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  expect(await findSeriousViolations(tab)).toEqual([]);
  for (const name of ['Branch here', 'Copy', 'Title', 'Split message', 'Delete'])
    await expectEventually(() => sheet.getByRole('button', { name, exact: true }).count()).toBe(1);
  await sheet.getByRole('button', { name: 'Bookmark', exact: true }).tap();
  await expectEventually(() => page.getByRole('dialog').count()).toBe(0);
  await expectEventually(
    async () =>
      (await fixture.server.ask('GET', `/api/trees/${demo.id}/nodes/${demo.answers[1]}`)).body.bookmark?.title,
  ).toContain('pg_upgrade');
  await done(tab);
});

test('[B322] two fingers zoom the map about the point between them, and do not open a message', async () => {
  const tab = await fixture.open(`/t/${demo.id}?view=map`, phone);
  const { page } = tab;
  const level = async () =>
    page.evaluate<number>(
      `[...document.querySelectorAll('.zoom fieldset button')].findIndex((one) => one.ariaPressed === 'true')`,
    );
  await expectEventually(async () => (await level()) >= 0).toBe(true);
  const session = await page.context().newCDPSession(page);
  /** Two fingers whose distance changes from one value to another, in steps. */
  const pinch = async (from: number, to: number) => {
    const fingers = (share: number) => {
      const half = (from + (to - from) * share) / 2;
      return [
        { x: 195 - half, y: 420, id: 0 },
        { x: 195 + half, y: 420, id: 1 },
      ];
    };
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: readonly object[]) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: [...touchPoints] as never });
    await send('touchStart', fingers(0).slice(0, 1));
    await send('touchStart', fingers(0));
    for (const share of [0.2, 0.4, 0.6, 0.8, 1]) await send('touchMove', fingers(share));
    await send('touchEnd', fingers(1).slice(0, 1));
    await send('touchEnd', []);
  };
  await pinch(40, 360);
  await expectEventually(level).toBe(2);
  await pinch(360, 20);
  await expectEventually(level).toBe(0);
  expect(page.url()).toContain('view=map');
  await done(tab);
});

test('[B78] if a provider gives a time, the retry counts down, can be cancelled, and is made', async () => {
  const made = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Limits' } });
  const id: string = made.body.treeId;
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  await page.getByRole('textbox', { name: /message/i }).fill('Are you there?');
  await page.keyboard.press('Enter');
  const strip = page.getByRole('alert').filter({ hasText: 'At its limit.' });
  await strip.getByText(/Trying again in \d+ s\./).waitFor();
  await strip.getByRole('button', { name: 'Not now' }).waitFor();
  await page.getByTestId('thread').getByText('Here is the answer.').waitFor();
  await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
  await done(tab);
});

test('[B334] on a touch screen Enter starts a new line, and the button sends', async () => {
  const made = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Lines' } });
  const tab = await fixture.open(`/t/${made.body.treeId}`, phone);
  const { page } = tab;
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.tap();
  await page.keyboard.type('one');
  await page.keyboard.press('Enter');
  await page.keyboard.type('two');
  expect(await composer.inputValue()).toBe('one\ntwo');
  await page.getByRole('button', { name: /^Send/ }).tap();
  await expectEventually(() => page.getByTestId('thread').locator('.msg.you .body').innerText()).toBe('one\ntwo');
  await done(tab);
});

test('[B79] a variant fades in only if motion is wanted', async () => {
  for (const [reducedMotion, fades] of [
    ['no-preference', true],
    ['reduce', false],
  ] as const) {
    const tab = await fixture.open(`/t/${demo.id}/${demo.answers[1]}`, { reducedMotion });
    const { page } = tab;
    await page.getByTestId('thread').getByText('on the standby, after you promote it').first().waitFor();
    await page.evaluate(
      "window.fades = []; document.addEventListener('animationstart', (event) => window.fades.push(event.animationName))",
    );
    const row = page.locator(`[data-node-id="${demo.answers[1]}"]`);
    await row.getByRole('button', { name: 'Next version' }).click();
    await page.getByTestId('thread').getByText('managed blue/green deployment').waitFor();
    if (fades) await expectEventually(() => page.evaluate("window.fades.includes('give-way')")).toBe(true);
    else await expectEventually(() => page.evaluate("window.fades.includes('give-way')")).toBe(false);
    await done(tab);
  }
});

test.each([390, 320])('[B301] the composer of the start screen fits a phone of %i px', async (width) => {
  const tab = await fixture.open('/', { ...phone, viewport: { width, height: 700 } });
  const { page } = tab;
  const send = page.locator('.start .composer .send');
  await send.waitFor();
  const box = await send.boundingBox();
  expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThan(width);
  await done(tab);
});

test('[B348] on a phone options and models are sheets at the bottom, and a tap beside one only closes it', async () => {
  const messages = [
    { role: 'user', content: 'How do I bake bread?' },
    { role: 'assistant', content: 'With flour.' },
  ];
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Bread', messages } });
  for (const width of [390, 320]) {
    const tab = await fixture.open(`/t/${body.treeId}`, { ...phone, viewport: { width, height: 700 } });
    const { page } = tab;
    await page.getByTestId('thread').getByText('With flour.').waitFor();
    const undo = page.getByRole('button', { name: /^Chats/ }).first();
    const beside = await undo.boundingBox();
    for (const [button, name] of [
      [/^Options/, 'Options for this chat'],
      [/^Model:/, 'Models'],
    ] as const) {
      await page.getByRole('button', { name: button }).tap();
      const sheet = page.getByRole('dialog', { name });
      await sheet.waitFor();
      await expectEventually(async () => {
        const box = await sheet.boundingBox();
        return [box?.x, box?.width, Math.round((box?.y ?? 0) + (box?.height ?? 0))];
      }).toEqual([0, width, 700]);
      expect(await findSeriousViolations(tab)).toEqual([]);
      await page.touchscreen.tap((beside?.x ?? 0) + 10, (beside?.y ?? 0) + 10);
      await expectEventually(() => sheet.count()).toBe(0);
      // The button below the tap was not pressed.
      expect(await page.getByRole('dialog').count()).toBe(0);
    }
    await done(tab);
  }
});

test('[B301] a phone, even a narrow one, has undo, options, several models and the meter within reach, and wide tables scroll', async () => {
  const table = `| ${'A heading | '.repeat(6)}\n|${'---|'.repeat(6)}\n| ${'some words | '.repeat(6)}`;
  for (const width of [390, 320]) {
    const messages = [
      { role: 'user', content: 'Show me a table' },
      { role: 'assistant', content: table },
    ];
    const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'A table', messages } });
    const tab = await fixture.open(`/t/${body.treeId}`, { ...phone, viewport: { width, height: 700 } });
    const { page } = tab;
    const thread = page.getByTestId('thread');
    await thread.getByText('A heading').first().waitFor();
    const overflow = 'document.documentElement.scrollWidth - innerWidth';
    // The table scrolls in its box, and no word is broken.
    await expectEventually(() =>
      page.evaluate("(box => box.scrollWidth - box.clientWidth)(document.querySelector('.table'))"),
    ).toBeGreaterThan(100);
    await expectEventually(() => page.evaluate("document.querySelector('td').getClientRects()[0].height < 50")).toBe(
      true,
    );
    expect(await page.evaluate(overflow)).toBe(0);
    await page.getByRole('button', { name: /^Options/ }).tap();
    const options = page.getByRole('dialog', { name: 'Options for this chat' });
    expect(
      await page.evaluate("(box => box.scrollWidth - box.clientWidth)(document.querySelector('.options-box'))"),
    ).toBe(0);
    await options.getByRole('button', { name: 'Add model' }).tap();
    await page.getByRole('button', { name: /guide/ }).first().tap();
    await options.getByRole('button', { name: 'Close' }).tap();
    await page
      .getByRole('button', { name: /^Model:/ })
      .getByText('+1')
      .waitFor();
    expect(await page.evaluate(overflow)).toBe(0);
    // Makes a change and undoes it with one tap.
    await page.getByRole('button', { name: 'A table' }).first().tap();
    await page.getByRole('textbox', { name: 'Rename' }).fill('Other name');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).getByText('Other name').waitFor();
    await page.getByRole('button', { name: /^Undo/ }).first().tap();
    await page.getByRole('heading', { level: 1 }).getByText('A table').waitFor();
    expect(await findSeriousViolations(tab)).toEqual([]);
    await page.locator('.composer .from .pill').tap();
    await page.getByRole('heading', { name: 'What the model sees' }).waitFor();
    expect(await page.evaluate(overflow)).toBe(0);
    await done(tab);
  }
});
