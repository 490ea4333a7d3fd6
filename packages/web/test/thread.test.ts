// @module-tag browser
// @module-tag full
import { isText } from '@coppice/core';
import { createTools, defineTool, makeErrorEvent } from '@coppice/engine';
import { makeTextEvents, makeToolEvents, type ScriptedReply } from '@coppice/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoTree, type DemoTree } from './demo-tree.ts';
import {
  type BrowserElement,
  createDeferred,
  expectEventually,
  openPageFixture,
  type PageFixture,
  type PageTab,
} from './page-fixture.ts';

let fixture: PageFixture;
let demo: DemoTree;
let next: ScriptedReply = makeTextEvents('Hello there.');

beforeAll(async () => {
  fixture = await openPageFixture({
    replies: [(request, call, options) => (typeof next === 'function' ? next(request, call, options) : next)],
  });
  demo = await createDemoTree(fixture.server);
});
afterAll(() => fixture.close());

async function newTree(...said: readonly string[]): Promise<string> {
  const messages = said.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'A tree', messages } });
  return body.treeId;
}

function thread({ page }: PageTab) {
  return page.getByTestId('thread');
}

async function done(tab: PageTab): Promise<void> {
  expect(tab.faults).toEqual([]);
  await tab.context.close();
}

test('[B10, B101] a tree opens at the end of its active branch, with the position of each message among its variants', async () => {
  const tab = await fixture.open(`/t/${demo.id}`);
  await thread(tab).getByText('The script stops at the first doubt').waitFor();
  await expectEventually(() => thread(tab).getByRole('group', { name: 'Version 2 of 4' }).count()).toBe(1);
  await thread(tab).getByText('Interrupted', { exact: true }).waitFor();
  await done(tab);
  // This also holds if rows are smaller than estimated before they were rendered.
  const narrow = await fixture.open(`/t/${demo.id}`, { viewport: { width: 320, height: 568 } });
  const goOn = thread(narrow).getByRole('button', { name: 'Continue' });
  await goOn.waitFor();
  await expectEventually(() =>
    thread(narrow).evaluate((box: BrowserElement) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight)),
  ).toBe(0);
  // On this narrow screen the notices at the bottom cover no button.
  await thread(narrow).getByRole('article').last().focus();
  await narrow.page.keyboard.press('m');
  await narrow.page.getByRole('status').getByText('Bookmarked').waitFor();
  await expectEventually(async () => {
    const [button, toast] = [await goOn.boundingBox(), await narrow.page.locator('.toast').boundingBox()];
    return button !== null && toast !== null && button.y + button.height <= toast.y;
  }).toBe(true);
  await narrow.page.keyboard.press('m');
  await narrow.page.getByRole('status').getByText('Bookmark removed').waitFor();
  await done(narrow);
});

test('[B11] the arrows of a message, and the arrow keys, wrap around its variants; the messages above stay in place', async () => {
  const tab = await fixture.open(`/t/${demo.id}/${demo.pause}`);
  const row = thread(tab).locator(`[data-node-id="${demo.freeze}"]`);
  await row.waitFor();
  const before = await row.boundingBox();
  await thread(tab)
    .getByRole('group', { name: 'Version 2 of 4' })
    .getByRole('button', { name: 'Next version' })
    .click();
  await thread(tab).getByText('Drain connections at HAProxy').waitFor();
  await expectEventually(() => row.boundingBox()).toEqual(before);
  await tab.page.getByRole('article').filter({ hasText: 'Drain connections' }).focus();
  await tab.page.keyboard.press('ArrowLeft');
  await thread(tab).getByText('Pause the pool instead').waitFor();
  // The branch is remembered, here and on the server.
  await thread(tab).getByText('The script stops at the first doubt').waitFor();
  await expect
    .poll(async () => (await fixture.server.ask('GET', `/api/trees/${demo.id}`)).body.activeNodeId)
    .toBe(demo.leaf);
  await done(tab);
});

test('[B12] a sent message is shown at once, the reply streams in below it, and both are in the tree', async () => {
  const id = await newTree('Hi', 'Hello.');
  const gate = createDeferred();
  next = async function* () {
    const events = makeTextEvents('One **bold** word at a time.');
    yield* events.slice(0, 3);
    await gate.promise;
    yield* events.slice(3);
  };
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.getByRole('textbox', { name: 'Message' }).fill('Tell me more');
  await tab.page.keyboard.press('Enter');
  await thread(tab).getByText('Tell me more').waitFor();
  await thread(tab).getByText('One bold word').waitFor();
  await expectEventually(() => thread(tab).getByRole('button', { name: 'Stop' }).count()).toBe(1);
  gate.resolve();
  await thread(tab).getByText('word at a time.').waitFor();
  // A screen reader announces the reply.
  await tab.page.getByRole('status').getByText('one has replied').waitFor({ state: 'attached' });
  await expectEventually(() => thread(tab).getByRole('button', { name: 'Stop' }).count()).toBe(0);
  await expectEventually(() => thread(tab).locator('strong').last().textContent()).toBe('bold');
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}?format=linear`);
  expect(body.messages.map((message: { role: string }) => message.role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  await done(tab);
});

test('[B12] a message sent before the tree is loaded is sent as soon as it is', async () => {
  const id = await newTree('Hi', 'Hello.');
  next = makeTextEvents('Here I am.');
  const gate = createDeferred();
  const tab = await fixture.open('/');
  await tab.page.route(`**/api/trees/${id}/page**`, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await tab.page.evaluate(`history.pushState(null, '', '/t/${id}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await tab.page.getByRole('textbox', { name: 'Message' }).fill('Are you there?');
  await tab.page.keyboard.press('Enter');
  gate.resolve();
  await thread(tab).getByText('Are you there?').waitFor();
  await thread(tab).getByText('Here I am.').waitFor();
  await done(tab);
});

test('[B13] a stopped reply keeps the received text, and can be continued', async () => {
  const id = await newTree('Hi', 'Hello.');
  next = [{ type: 'text-delta', text: 'It begins here' }, { type: 'hang' }];
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.getByRole('textbox', { name: 'Message' }).fill('Go');
  await tab.page.keyboard.press('Enter');
  await thread(tab).getByText('It begins here').waitFor();
  next = makeTextEvents(' and ends there.');
  await thread(tab).getByRole('button', { name: 'Stop' }).click();
  await thread(tab).getByText('Stopped', { exact: true }).waitFor();
  await thread(tab).getByText('It begins here').waitFor();
  await thread(tab).getByRole('button', { name: 'Continue' }).click();
  await thread(tab).getByText('It begins here and ends there.').waitFor();
  await done(tab);
});

// The caret is an element or, after text, drawn by the last line.
const visibleCarets = `[...document.querySelectorAll('.body[aria-busy=true] *')].filter((each) =>
  (each.matches('.caret') && getComputedStyle(each).display !== 'none') ||
  getComputedStyle(each, '::after').animationName === 'breathe' ||
  (getComputedStyle(each, '::after').content !== 'none' && getComputedStyle(each, '::after').width === '3px')).length`;

test('[B323] a reply that is being written has one caret, after text, lists and code, and Escape in the composer stops it', async () => {
  const id = await newTree('Hi', 'Hello.');
  const tab = await fixture.open(`/t/${id}`);
  const composer = tab.page.getByRole('textbox', { name: 'Message' });
  for (const text of [
    'It begins.',
    'It begins:\n\n- one\n- two',
    'It begins:\n\n- one\n  - two',
    '```js\nlet it = 1;\n```\n',
  ]) {
    next = [{ type: 'text-delta', text }, { type: 'hang' }];
    await composer.fill('Go');
    await composer.press('Enter');
    await thread(tab)
      .getByText('two')
      .or(thread(tab).getByText('It begins'))
      .or(thread(tab).getByText('let'))
      .last()
      .waitFor();
    await expectEventually(() => tab.page.evaluate(visibleCarets)).toBe(1);
    // With a text to send, Escape only leaves the composer.
    await composer.fill('Draft');
    await composer.press('Escape');
    await thread(tab).getByRole('button', { name: 'Stop' }).waitFor();
    await composer.fill('');
    await composer.press('Escape');
    await expectEventually(() => thread(tab).getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await thread(tab).getByText('Stopped', { exact: true }).last().waitFor();
  }
  // No button has the class of the caret, which would draw the button in the colour of the caret.
  expect(await tab.page.locator('.caret').count()).toBe(0);
  next = makeTextEvents('Hello there.');
  await done(tab);
});

test('[B332] a message that is sent while a reply is written waits for it, and is kept when it is cancelled', async () => {
  const id = await newTree('Hi', 'Hello.');
  const tab = await fixture.open(`/t/${id}`);
  const composer = tab.page.getByRole('textbox', { name: 'Message' });
  next = [{ type: 'text-delta', text: 'It begins.' }, { type: 'hang' }];
  await composer.fill('Go');
  await composer.press('Enter');
  await thread(tab).getByText('It begins.').waitFor();
  await composer.fill('And then?');
  await composer.press('Enter');
  const note = tab.page.getByRole('status').getByText('Sent when the reply is complete.');
  await note.waitFor();
  await composer.press('Escape');
  await expectEventually(() => note.count()).toBe(0);
  await composer.press('Enter');
  await note.waitFor();
  expect(await composer.inputValue()).toBe('And then?');
  expect(await thread(tab).getByText('And then?').count()).toBe(0);
  const seen: unknown[] = [];
  next = (request) => {
    seen.push(...request.messages.map(({ content }) => content.find(isText)?.text));
    return makeTextEvents('Then it ended.');
  };
  await thread(tab).getByRole('button', { name: 'Stop' }).click();
  await thread(tab).getByText('Then it ended.').waitFor();
  // The stopped reply is part of what the model gets.
  expect(seen).toEqual(['Hi', 'Hello.', 'Go', 'It begins.', 'And then?']);
  expect(await composer.inputValue()).toBe('');
  next = makeTextEvents('Hello there.');
  await done(tab);
});

test('[B14] an edit becomes a variant and the old text stays; Save only edits in place; both can be undone', async () => {
  const id = await newTree('First words', 'An answer.');
  next = makeTextEvents('Another answer.');
  const tab = await fixture.open(`/t/${id}`);
  const first = thread(tab).getByRole('article').first();
  await first.hover();
  await first.getByRole('button', { name: 'Edit (E)' }).click();
  await tab.page.getByRole('textbox', { name: 'Edit the message' }).fill('Better words');
  await tab.page.getByRole('button', { name: 'Branch and send' }).click();
  await thread(tab).getByText('Another answer.').waitFor();
  await thread(tab).getByRole('group', { name: 'Version 2 of 2' }).waitFor();
  await first.hover();
  await first.getByRole('button', { name: 'Edit (E)' }).click();
  await tab.page.getByRole('textbox', { name: 'Edit the message' }).fill('Best words');
  await tab.page.getByRole('button', { name: 'Save without replying' }).click();
  await thread(tab).getByText('Best words').waitFor();
  await expectEventually(() => thread(tab).getByRole('group', { name: 'Version 2 of 2' }).count()).toBe(1);
  // The toast of the earlier edit may still be visible, so the text is compared.
  const saved = tab.page.getByRole('status').filter({ hasText: 'Saved; the old text' });
  await saved.getByRole('button', { name: 'Undo' }).click();
  await thread(tab).getByText('Better words').waitFor();
  await done(tab);
});

test('[B190] saving a message that a link shows offers to update the link', async () => {
  const id = await newTree('First words', 'An answer.');
  const shared = await fixture.server.ask('POST', `/api/trees/${id}/shares`, { body: {} });
  const tab = await fixture.open(`/t/${id}`);
  const first = thread(tab).getByRole('article').first();
  await first.hover();
  await first.getByRole('button', { name: 'Edit (E)' }).click();
  await tab.page.getByRole('textbox', { name: 'Edit the message' }).fill('Best words');
  await tab.page.getByRole('button', { name: 'Save without replying' }).click();
  const offer = tab.page.getByRole('status').filter({ hasText: '1 link still shows the old text' });
  await offer.getByRole('button', { name: 'Update the link' }).click();
  await tab.page.getByRole('status').filter({ hasText: 'The link shows the new text' }).waitFor();
  const seen = await fixture.server.ask('GET', `/api/shared/${shared.body.token}`);
  expect(JSON.stringify(seen.body)).toContain('Best words');
  await done(tab);
});

/** Opens a short tree whose edits wait until the gate is opened. */
async function openHeld(): Promise<{ readonly tab: PageTab; readonly gate: ReturnType<typeof createDeferred> }> {
  const id = await newTree('Hi', 'Hello.');
  const gate = createDeferred();
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.route('**/edit', async (route) => {
    await gate.promise;
    await route.continue();
  });
  return { tab, gate };
}

test('[B100] a box that is being saved is read-only, and opens again with the saved text', async () => {
  const { tab, gate } = await openHeld();
  const first = thread(tab).getByRole('article').first();
  const area = tab.page.getByRole('textbox', { name: 'Edit the message' });
  await first.focus();
  await tab.page.keyboard.press('e');
  await area.fill('Good day');
  await area.press('Control+s');
  await expectEventually(() => area.isEditable()).toBe(false);
  await area.pressSequentially(' lost');
  await first.focus();
  await tab.page.keyboard.press('e');
  gate.resolve();
  await tab.page.getByRole('status').getByText('Saved; the old text').waitFor();
  await expectEventually(() => area.isEditable()).toBe(true);
  await expectEventually(() => area.inputValue()).toBe('Good day');
  await expectEventually(() => tab.page.evaluate("document.activeElement?.closest('.editbox') != null")).toBe(true);
  await area.press('End');
  await area.pressSequentially(' to you');
  await area.press('Control+s');
  await thread(tab).locator('.body').getByText('Good day to you').waitFor();
  await expectEventually(() =>
    thread(tab)
      .getByRole('group', { name: /^Variant/ })
      .count(),
  ).toBe(0);
  await done(tab);
});

test('[B100] a slow save does not move the focus of a user who types elsewhere', async () => {
  const { tab, gate } = await openHeld();
  await thread(tab).getByRole('article').first().focus();
  await tab.page.keyboard.press('e');
  const area = tab.page.getByRole('textbox', { name: 'Edit the message' });
  await area.fill('Good day');
  await area.press('Control+s');
  const composer = tab.page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.pressSequentially('Mean');
  gate.resolve();
  await thread(tab).locator('.body').getByText('Good day').waitFor();
  await tab.page.evaluate('new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))');
  await tab.page.keyboard.type('while');
  await expectEventually(() => composer.inputValue()).toBe('Meanwhile');
  await done(tab);
});

test('[B15] regenerating keeps the old reply, and several answers are shown in columns to choose from', async () => {
  const id = await newTree('Which one?', 'This one.');
  next = (_request, call) => makeTextEvents(`Answer number ${call}.`);
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.getByRole('article').last().focus();
  await tab.page.keyboard.press('Shift+R');
  await thread(tab).getByRole('group', { name: 'Version 4 of 4' }).waitFor();
  await thread(tab).getByRole('button', { name: 'Side by side' }).click();
  await expectEventually(() => tab.page.locator('.cols article').count()).toBe(4);
  await tab.page.locator('.cols article').first().getByRole('button', { name: 'Continue from this' }).click();
  await thread(tab).getByText('This one.').waitFor();
  await thread(tab).getByRole('group', { name: 'Version 1 of 4' }).waitFor();
  await done(tab);
});

test('[B16] a link to a message opens its own branch and scrolls to it', async () => {
  const other = demo.answers[1] ?? '';
  const tab = await fixture.open(`/t/${demo.id}/${other}`);
  await thread(tab).getByText('on the standby, after you promote it').waitFor();
  await expectEventually(() => thread(tab).locator(`[data-node-id="${other}"]`).isVisible()).toBe(true);
  await fixture.server.ask('PUT', `/api/trees/${demo.id}/active`, { body: { nodeId: demo.leaf } });
  // The message stays visible even if those below are longer than estimated.
  const id = await newTree('The first word', 'word '.repeat(5000), 'word '.repeat(5000), 'The last word');
  const [first] = (await fixture.server.ask('GET', `/api/trees/${id}/page`)).body.nodes;
  await tab.page.goto(`${fixture.url}/t/${id}/${first.id}`);
  await expectEventually(() => thread(tab).evaluate((box: BrowserElement) => box.scrollHeight)).toBeGreaterThan(5000);
  await thread(tab).getByText('The first word', { exact: true }).waitFor();
  await tab.page.waitForTimeout(300);
  expect(await thread(tab).evaluate((box: BrowserElement) => box.scrollTop)).toBeLessThan(50);
  await done(tab);
});

test('[B17] a message is deleted after its count is shown, and one click restores it', async () => {
  const id = await newTree('One', 'Two', 'Three', 'Four');
  const tab = await fixture.open(`/t/${id}`);
  await thread(tab).getByText('Two', { exact: true }).waitFor();
  await thread(tab).getByRole('article').nth(1).focus();
  await tab.page.keyboard.press('Backspace');
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByText('This message and everything after it').click();
  await dialog.getByRole('button', { name: 'Delete 3' }).click();
  await expectEventually(() => thread(tab).getByRole('article').count()).toBe(1);
  await tab.page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expectEventually(() => thread(tab).getByRole('article').count()).toBe(4);
  await done(tab);
});

test('[B340] a thread that was scrolled up without a mouse or a key stays there, also below a system prompt', async () => {
  const { body } = await fixture.server.ask('POST', '/api/trees', {
    body: { systemPrompt: 'Answer in one line.', messages: ['The first word', 'word '.repeat(3000), 'The last word'] },
  });
  const tab = await fixture.open(`/t/${body.treeId}`);
  await thread(tab).getByText('The last word', { exact: true }).waitFor();
  // The scroll bar, the search of the browser and screen readers scroll like this: without an event on the thread.
  await thread(tab).evaluate((box: BrowserElement) => box.scrollTo(0, 0));
  await thread(tab).getByText('The first word', { exact: true }).waitFor();
  next = [{ type: 'text-delta', text: 'A late reply' }, { type: 'hang' }];
  const page = (await fixture.server.ask('GET', `/api/trees/${body.treeId}/page`)).body;
  const begun = await fixture.server.ask('POST', `/api/trees/${body.treeId}/generations`, {
    version: page.version,
    body: { type: 'reply', parentId: page.activeNodeId },
  });
  expect(begun.status).toBe(202);
  await tab.page.getByRole('button', { name: 'New messages below' }).waitFor();
  next = makeTextEvents('Hello there.');
  expect(await thread(tab).evaluate((box: BrowserElement) => box.scrollTop)).toBe(0);
  await done(tab);
});

test('[B33] Tab moves into the thread and stays there, even when the thread was at its end', async () => {
  const tab = await fixture.open(`/t/${demo.id}`);
  await thread(tab).getByText('copies the sequ').waitFor();
  await tab.page.locator('.main > .bar').getByRole('button', { name: 'More', exact: true }).focus();
  const inside = () => tab.page.evaluate("document.activeElement.closest('[data-testid=thread]') !== null");
  await tab.page.keyboard.press('Tab');
  await expectEventually(inside).toBe(true);
  // The focused element is measured after rendering, which must not scroll it away.
  await tab.page.waitForTimeout(300);
  expect(await inside()).toBe(true);
  await done(tab);
});

test('[B17, B33] Enter on a choice of the delete dialog does what its button says', async () => {
  const id = await newTree('Keep this', 'And this', 'Drop this');
  const tab = await fixture.open(`/t/${id}`);
  await thread(tab).getByText('Drop this').waitFor();
  await thread(tab).getByRole('article').last().focus();
  await tab.page.keyboard.press('Backspace');
  await expectEventually(() => tab.page.getByRole('dialog').getByRole('button', { name: 'Delete 1' }).isEnabled()).toBe(
    true,
  );
  await tab.page.keyboard.press('Enter');
  await tab.page.keyboard.press('Enter');
  await expectEventually(() => thread(tab).getByText('Drop this').count()).toBe(0);
  await tab.page.getByRole('status').getByRole('button', { name: /Undo/ }).click();
  await thread(tab).getByText('Drop this').waitFor();
  await done(tab);
});

test('[B18] a tool that makes changes waits for approval, and its card shows arguments and result', async () => {
  const tools = createTools({
    tools: [
      defineTool({
        name: 'write_note',
        description: 'Writes a note.',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        sideEffects: true,
        run: async () => 'Noted.',
      }),
    ],
  });
  const own = await openPageFixture({
    tools,
    replies: [
      makeToolEvents({ id: 'call-1', name: 'write_note', parameters: { text: 'Buy milk' } }),
      makeTextEvents('It is written.'),
    ],
  });
  const { body } = await own.server.ask('POST', '/api/trees', { body: { title: 'Notes' } });
  const tab = await own.open(`/t/${body.treeId}`);
  await tab.page.getByRole('textbox', { name: 'Message' }).fill('Note it');
  await tab.page.keyboard.press('Enter');
  const card = tab.page.getByRole('region', { name: 'Tool call write_note' });
  await card.getByText('Buy milk').waitFor();
  await card.getByRole('button', { name: 'Allow once' }).click();
  await thread(tab).getByText('It is written.').waitFor();
  await thread(tab).getByText('Noted.').waitFor();
  expect(tab.faults).toEqual([]);
  await own.close();
});

test('[B325] a tool that failed is shown as failed', async () => {
  const tools = createTools({
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Looks something up.',
        parameters: { type: 'object', properties: {} },
        sideEffects: false,
        run: () => Promise.reject(new Error('There is no such book.')),
      }),
    ],
  });
  const own = await openPageFixture({
    tools,
    replies: [makeToolEvents({ id: 'call-1', name: 'look_up', parameters: {} }), makeTextEvents('It is not there.')],
  });
  const { body } = await own.server.ask('POST', '/api/trees', { body: { title: 'Books' } });
  const tab = await own.open(`/t/${body.treeId}`);
  await tab.page.getByRole('textbox', { name: 'Message' }).fill('Look it up');
  await tab.page.keyboard.press('Enter');
  await thread(tab).getByText('It is not there.').waitFor();
  const card = tab.page.getByRole('region', { name: 'Tool call look_up' });
  await card.getByText('failed').first().waitFor();
  expect(await card.getByText('done', { exact: true }).count()).toBe(0);
  expect(tab.faults).toEqual([]);
  await own.close();
});

test('[B325] images that a tool returned are shown in its card', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const messages = [
    { role: 'user', content: 'Show me the page' },
    { role: 'assistant', content: [{ type: 'tool-use', id: 'call-1', name: 'screenshot', parameters: {} }] },
    {
      role: 'tool',
      tool_call_id: 'call-1',
      content: [
        { type: 'text', text: 'The page:' },
        { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: pixel } },
      ],
    },
  ];
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Pages', messages } });
  const tab = await fixture.open(`/t/${body.treeId}`);
  const card = tab.page.getByRole('region', { name: 'Tool call screenshot' });
  await card.getByText('The page:', { exact: true }).waitFor();
  await expectEventually(() =>
    card.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth),
  ).toBe(1);
  await done(tab);
});

test('[B335] all loaded messages are printed, in light colours and without the composer', async () => {
  const said = Array.from({ length: 80 }, (_, index) => `Message ${index}. ${'Some words. '.repeat(40)}`);
  const id = await newTree(...said);
  const tab = await fixture.open(`/t/${id}`, { colorScheme: 'dark' });
  await thread(tab).getByText('Message 79.').waitFor();
  const articles = thread(tab).locator('article');
  const shown = await articles.count();
  // A browser reports that it prints before it lays out the page for paper.
  await tab.page.evaluate("dispatchEvent(new Event('beforeprint'))");
  await tab.page.emulateMedia({ media: 'print' });
  expect(await articles.count()).toBeGreaterThan(Math.max(shown, 39));
  await thread(tab).getByText('Only the messages that were loaded are printed.').waitFor();
  expect(await tab.page.getByRole('textbox', { name: 'Message' }).isVisible()).toBe(false);
  expect(await tab.page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light');
  // The page grows with its messages instead of scrolling inside itself.
  expect(await tab.page.evaluate('document.documentElement.scrollHeight')).toBeGreaterThan(5000);
  await tab.page.evaluate("dispatchEvent(new Event('afterprint'))");
  await tab.page.emulateMedia({ media: 'screen' });
  await expectEventually(() => articles.count()).toBeLessThan(40);
  await done(tab);
});

test('[B56] while a chat has no title, it is named by its first question; a failed reply is named so', async () => {
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: {} });
  next = [makeErrorEvent('provider/unauthorised', 'The service did not accept the key.')];
  const tab = await fixture.open(`/t/${body.treeId}`);
  await tab.page.getByRole('textbox', { name: 'Message' }).fill('Which wood burns best?');
  await tab.page.keyboard.press('Enter');
  await thread(tab).getByText('did not accept the key').waitFor();
  await tab.page
    .getByRole('banner')
    .or(tab.page.locator('.main > .bar'))
    .getByText('Which wood burns best?')
    .first()
    .waitFor();
  await expectEventually(() => tab.page.title()).toBe('Which wood burns best? · Coppice');
  await tab.page.locator('.composer').getByText('Replying to No reply.').waitFor();
  await tab.page.getByRole('tree').getByText('No reply.').waitFor();
  next = makeTextEvents('Oak.');
  await tab.page.getByRole('textbox', { name: 'Message' }).fill('And which one smells best?');
  await tab.page.keyboard.press('Enter');
  await thread(tab).getByText('Oak.').waitFor();
  expect(await tab.page.title()).toBe('Which wood burns best? · Coppice');
  // A rejected key leads to the settings.
  await thread(tab).getByRole('button', { name: 'Settings' }).click();
  await tab.page.getByRole('heading', { name: 'Models' }).waitFor();
  next = makeTextEvents('Hello there.');
  await done(tab);
});
