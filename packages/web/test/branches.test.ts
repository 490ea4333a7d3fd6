// @module-tag browser
// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

let fixture: PageFixture;

beforeAll(async () => {
  fixture = await openPageFixture();
});
afterAll(() => fixture.close());

async function done(tab: PageTab): Promise<void> {
  expect(tab.faults).toEqual([]);
  await tab.context.close();
}

interface SampleTree {
  readonly id: string;
  readonly ids: readonly string[];
}

async function buildSample(title: string, ...said: readonly string[]): Promise<SampleTree> {
  const messages = said.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title, messages } });
  return { id: body.treeId, ids: body.nodes.map((node: { readonly id: string }) => node.id) };
}

async function look(id: string) {
  return (await fixture.server.ask('GET', `/api/trees/${id}`)).body;
}

/** Appends a message below a node without moving the active node. */
async function say(id: string, parentId: string, content: string): Promise<string> {
  const { version } = await look(id);
  const { body } = await fixture.server.ask('POST', `/api/trees/${id}/messages`, {
    version,
    body: { parentId, messages: [{ role: 'user', content }], select: false },
  });
  return body.nodes[0].id;
}

async function texts(id: string): Promise<string[]> {
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}/page?limit=100`);
  return body.nodes.map((node: { readonly text: string }) => node.text);
}

/** Opens the menu of a message and chooses an item. */
async function choose(tab: PageTab, nodeId: string, name: string): Promise<void> {
  const row = tab.page.locator(`[data-node-id="${nodeId}"]`);
  await row.getByRole('article').hover();
  await row.getByRole('button', { name: 'More', exact: true }).click();
  await tab.page.getByRole('menuitem', { name }).click();
}

test('[B68] a message is split where the user clicks, and one click joins it again', async () => {
  const { id, ids } = await buildSample('Split', 'First thought. Second thought. Third thought.', 'Yes.');
  const tab = await fixture.open(`/t/${id}`);
  await choose(tab, ids[0] ?? '', 'Split message');
  const dialog = tab.page.getByRole('dialog', { name: 'Split message' });
  await dialog.waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  const slider = dialog.getByRole('slider', { name: 'Split position' });
  // A position between two sentences is suggested first.
  await expectEventually(() => slider.getAttribute('aria-valuetext')).toMatch(/thought\.”$/);
  await slider.press('Home');
  await slider.press('ArrowRight');
  await dialog.getByText('after “First thought.”').waitFor();
  await dialog.getByRole('button', { name: 'Split here' }).click();
  await expectEventually(() => texts(id)).toEqual(['First thought. ', 'Second thought. Third thought.', 'Yes.']);
  await tab.page.getByRole('button', { name: /Undo/ }).last().click();
  await expectEventually(() => texts(id)).toEqual(['First thought. Second thought. Third thought.', 'Yes.']);
  // Joining is the inverse: the halves become one message again, with the id of the second.
  await tab.page.getByRole('button', { name: /Redo/ }).last().click();
  await expectEventually(() => texts(id)).toEqual(['First thought. ', 'Second thought. Third thought.', 'Yes.']);
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}/page`);
  await choose(tab, body.nodes[0].id, 'Join with the next');
  await expectEventually(() => texts(id)).toEqual(['First thought. Second thought. Third thought.', 'Yes.']);
  await choose(tab, ids[0] ?? '', 'Split message');
  // A click in the text does the same as the slider.
  const words = tab.page.locator('.split-text');
  const box = await words.boundingBox();
  if (box === null) throw new Error('The text is not seen.');
  await tab.page.mouse.click(box.x + 20, box.y + 20);
  await dialog.getByText('after “First”').waitFor();
  await done(tab);
});

test('[B70] a branch moves to a tree found by search, and one undo restores both trees', async () => {
  const there = await buildSample('Kitchen notes', 'Salt', 'Noted.');
  await buildSample('Garden notes', 'Roses', 'Noted.');
  const { id, ids } = await buildSample('Mixed', 'About soup', 'Leek and potato.', 'How long?', 'Forty minutes.');
  const tab = await fixture.open(`/t/${id}`);
  await choose(tab, ids[2] ?? '', 'Move or copy to another chat');
  const dialog = tab.page.getByRole('dialog', { name: 'Move or copy to another chat' });
  await dialog.waitFor();
  expect(await findSeriousViolations(tab)).toEqual([]);
  await dialog.getByRole('searchbox', { name: 'Find a chat' }).fill('kitchen');
  await expectEventually(() => dialog.getByRole('radio').count()).toBe(1);
  await dialog.getByText('Kitchen notes').click();
  await dialog.getByRole('button', { name: 'Move', exact: true }).first().click();
  await dialog.getByRole('button', { name: 'At the end of its current branch' }).click();
  await dialog.getByRole('button', { name: 'Move', exact: true }).last().click();
  await tab.page.getByTestId('thread').getByText('Forty minutes.').waitFor();
  await expectEventually(() => texts(there.id)).toEqual(['Salt', 'Noted.', 'How long?', 'Forty minutes.']);
  await expectEventually(() => texts(id)).toEqual(['About soup', 'Leek and potato.']);
  await tab.page.getByRole('button', { name: 'Undo' }).last().click();
  await tab.page.getByTestId('thread').getByText('How long?').waitFor();
  await expectEventually(() => texts(there.id)).toEqual(['Salt', 'Noted.']);
  await expectEventually(() => texts(id)).toEqual(['About soup', 'Leek and potato.', 'How long?', 'Forty minutes.']);
  await done(tab);
});

test('[B70] a branch is copied to another tree, and everything stays here', async () => {
  const there = await buildSample('Box of answers', 'Start', 'Here.');
  const { id, ids } = await buildSample('Source', 'Ask', 'Answer worth keeping');
  const tab = await fixture.open(`/t/${id}`);
  await choose(tab, ids[1] ?? '', 'Move or copy to another chat');
  const dialog = tab.page.getByRole('dialog', { name: 'Move or copy to another chat' });
  await dialog.getByText('Box of answers').click();
  await dialog.getByRole('button', { name: 'Copy', exact: true }).last().click();
  await expectEventually(() => tab.page.url()).toContain(there.id);
  await tab.page.getByTestId('thread').getByText('Answer worth keeping').waitFor();
  await expectEventually(() => texts(id)).toEqual(['Ask', 'Answer worth keeping']);
  await done(tab);
});

test('[B71] a temporary tree is marked as one, and is kept with all its messages', async () => {
  await buildSample('Stays on the list', 'Hello');
  const tab = await fixture.open('/');
  // The keys of the list work only after it has been loaded.
  await tab.page.getByText('Stays on the list').first().waitFor();
  await tab.page.keyboard.press('Shift+N');
  await tab.page.getByText('temporary', { exact: true }).waitFor();
  await tab.page.getByRole('textbox', { name: /message/i }).fill('Remember me');
  await tab.page.keyboard.press('Alt+Enter');
  await tab.page.getByTestId('thread').getByText('Remember me').waitFor();
  const id = new URL(tab.page.url()).pathname.split('/')[2] ?? '';
  const listed = async () =>
    (await fixture.server.ask('GET', '/api/trees?limit=100')).body.items.some((tree: { id: string }) => tree.id === id);
  await expectEventually(() => listed()).toBe(false);
  await tab.page.getByRole('button', { name: 'Keep', exact: true }).click();
  await expectEventually(() => tab.page.getByText('temporary', { exact: true }).count()).toBe(0);
  await expectEventually(listed).toBe(true);
  await expectEventually(() => texts(id)).toEqual(['Remember me']);
  await done(tab);
});

test('[B72] another branch is merged from Compare as a summary, and a model is added beside the answers', async () => {
  const { id, ids } = await buildSample('Which way', 'Which way?', 'Take the **left** one.');
  const { version } = await look(id);
  const { body } = await fixture.server.ask('POST', `/api/trees/${id}/nodes/${ids[1]}/edit`, {
    version,
    body: { content: 'Take the __left__ one today.', select: false },
  });
  const tab = await fixture.open(`/t/${id}?view=compare&a=${ids[1]}&b=${body.result.nodeId}`);
  const { page } = tab;
  // Markup is ignored: as rendered only one word differs.
  await expectEventually(() => page.locator('.diff mark').allTextContents()).toEqual([' today']);
  await page.getByRole('button', { name: 'Source' }).click();
  await expectEventually(async () => (await page.locator('.diff mark').allTextContents()).join('')).toContain('**');
  await page.getByRole('button', { name: 'Add model' }).click();
  await page.getByRole('menuitem').first().click();
  await expectEventually(() => page.locator('article.col').count()).toBe(3);
  await expectEventually(async () => (await look(id)).version).toBeGreaterThan(version + 2);
  await page.getByRole('button', { name: 'Merge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge this branch in' });
  await dialog.getByRole('textbox', { name: 'Summary' }).fill('The other one says today.');
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await page.getByTestId('thread').getByText('The other one says today.').waitFor();
  await done(tab);
});

test('[B73] older messages are summarised, the summary is edited, and the compaction is undone', async () => {
  const { id } = await buildSample(
    'Long talk',
    ...Array.from({ length: 40 }, (_, index) => `Turn ${index}: ${'word '.repeat(120)}`),
  );
  // A click before the tree is loaded waits for it.
  const tab = await fixture.open(`/t/${id}?view=context`, { lateMs: 600 });
  const { page } = tab;
  await page.getByRole('button', { name: 'Compact now' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Compact now' }).click();
  const inForce = page.getByRole('list', { name: 'Messages sent' });
  await inForce.getByRole('button', { name: /Hello there/ }).click();
  await page.getByRole('button', { name: 'Edit the summary' }).click();
  await page.getByRole('textbox', { name: 'Summary' }).fill('We counted to forty.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await inForce.getByText('We counted to forty.').waitFor();
  const at = `/api/trees/${id}/context?model=scripted/one&limit=1`;
  await expectEventually(async () => (await fixture.server.ask('GET', at)).body.compaction.summary).toBe(
    'We counted to forty.',
  );
  await page.getByRole('button', { name: 'Send the original messages again' }).click();
  await expectEventually(async () => (await fixture.server.ask('GET', at)).body.compaction).toBe(null);
  await inForce.getByText(/^Turn 0:/).waitFor();
  await done(tab);
});

test('[B74] another system prompt makes another tree with the same branch, and the old one stays', async () => {
  const { id } = await buildSample('Prompted', 'Hello', 'Hi!');
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.locator('.main > .bar').getByRole('button', { name: 'More', exact: true }).click();
  await tab.page.getByRole('menuitem', { name: 'System prompt' }).click();
  await tab.page.getByRole('textbox', { name: 'System prompt' }).fill('Answer in rhymes.');
  await tab.page.getByRole('button', { name: 'New chat with this prompt' }).click();
  await expectEventually(() => tab.page.url().includes(id)).toBe(false);
  const made = new URL(tab.page.url()).pathname.split('/')[2] ?? '';
  await tab.page.getByTestId('thread').getByText('Hi!').waitFor();
  await expectEventually(async () => (await look(made)).systemPrompt).toBe('Answer in rhymes.');
  await expectEventually(async () => (await look(id)).systemPrompt).toBe(undefined);
  await done(tab);
});

test('[B75] titles and tags of messages and trees are shown at once, in every tab, and can be undone', async () => {
  const { id, ids } = await buildSample('Named', 'Hello', 'Hi!');
  const tab = await fixture.open(`/t/${id}`);
  const other = await fixture.open(`/t/${id}`, { context: tab.context });
  await choose(tab, ids[1] ?? '', 'Title');
  await tab.page.getByRole('textbox', { name: 'Title' }).fill('Greeting');
  await tab.page.getByRole('button', { name: 'Save', exact: true }).click();
  await choose(tab, ids[1] ?? '', 'Tags');
  await tab.page.getByRole('textbox', { name: 'Tags' }).fill('kind, short');
  await tab.page.getByRole('button', { name: 'Save', exact: true }).click();
  await other.page.getByTestId('thread').locator('.chip').filter({ hasText: 'kind' }).waitFor();
  const meta = async () => (await fixture.server.ask('GET', `/api/trees/${id}/nodes/${ids[1]}`)).body.node.meta;
  await expectEventually(meta).toMatchObject({ title: 'Greeting', tags: ['kind', 'short'] });
  // The toast about the title may still be visible.
  const tagged = tab.page.getByRole('status').filter({ hasText: 'Tags saved' });
  await tagged.getByRole('button', { name: /Undo/ }).click();
  await expectEventually(async () => (await meta()).tags).toBe(undefined);
  await tab.page.locator('.main > .bar').getByRole('button', { name: 'More', exact: true }).click();
  await tab.page.getByRole('menuitem', { name: 'Chat tags' }).click();
  await tab.page.getByRole('textbox', { name: 'Chat tags' }).fill('letters');
  await tab.page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectEventually(async () => (await look(id)).tags).toEqual(['letters']);
  await tab.page.getByRole('main').getByRole('button', { name: 'Named' }).first().click();
  await tab.page.getByRole('textbox', { name: 'Rename' }).fill('Letters');
  await tab.page.keyboard.press('Enter');
  await other.page.getByRole('heading', { name: 'Letters' }).waitFor();
  await other.page.close();
  await done(tab);
});

test('[B76] a branch dragged onto another message on the map moves there, and not where it is not allowed', async () => {
  const { id, ids } = await buildSample('Dragged', 'Root talk', 'Reply', 'Follow up', 'Last');
  const side = await say(id, ids[0] ?? '', 'Side talk');
  const tab = await fixture.open(`/t/${id}?view=map`);
  const { page } = tab;
  const map = page.locator('.map-canvas');
  await page.getByRole('navigation', { name: 'Branches' }).waitFor();
  const canvas = await map.boundingBox();
  if (canvas === null) throw new Error('There is no map.');
  // The position of a message follows from its preview, which is shown at a fixed distance from the message.
  const placeOf = async (words: string, ...keys: readonly string[]) => {
    await map.focus();
    for (const key of keys) await page.keyboard.press(key);
    const preview = page.locator('.preview').filter({ hasText: words });
    await preview.waitFor();
    const style = (await preview.getAttribute('style')) ?? '';
    const [left, top] = ['left', 'top'].map((name) => Number(new RegExp(`${name}: ([\\d.]+)px`).exec(style)?.[1]));
    return { x: canvas.x + (left ?? 0) - 22, y: canvas.y + (top ?? 0) + 132 };
  };
  const last = await placeOf('Follow up', 'ArrowDown');
  const moved = await placeOf('Side talk', 'ArrowDown', 'ArrowRight');
  await page.mouse.move(moved.x, moved.y);
  await page.mouse.down();
  await page.mouse.move((moved.x + last.x) / 2, (moved.y + last.y) / 2, { steps: 4 });
  await page.getByText('Drag onto another message').waitFor();
  await page.mouse.move(last.x, last.y, { steps: 4 });
  await page.getByText('Drop to move below “Follow up”').waitFor();
  await page.mouse.up();
  const parent = async (node: string) =>
    (await fixture.server.ask('GET', `/api/trees/${id}/nodes/${node}`)).body.node.parentId;
  await expectEventually(() => parent(side)).toBe(ids[2]);
  await page.getByRole('button', { name: /Undo/ }).last().click();
  await expectEventually(() => parent(side)).toBe(ids[0]);
  await done(tab);
});

test('[B110] Escape stops a merge that is calling a model, and nothing of it is left', async () => {
  let stopped = 0;
  const own = await openPageFixture({
    config: 'cheap_model = "scripted/one"\n',
    replies: [
      async function* (_request, _call, { signal }) {
        yield { type: 'text-delta', text: 'In ' } as const;
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        stopped++;
      },
    ],
  });
  const messages = [
    { role: 'user', content: 'Which way?' },
    { role: 'assistant', content: 'Left.' },
  ];
  const made = await own.server.ask('POST', '/api/trees', { body: { title: 'Merge', messages } });
  const { treeId: id, nodes, version } = made.body;
  const edited = await own.server.ask('POST', `/api/trees/${id}/nodes/${nodes[1].id}/edit`, {
    version,
    body: { content: 'Right.', select: false },
  });
  const tab = await own.open(`/t/${id}?view=compare&a=${nodes[1].id}&b=${edited.body.result.nodeId}`);
  const { page } = tab;
  await page.locator('main .bar').getByRole('button', { name: /Merge/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('.foot-row').getByRole('button').last().click();
  await dialog.locator('.foot-row button[disabled]').waitFor();
  await expectEventually(() => own.server.provider.requests.length).toBe(1);
  await page.keyboard.press('Escape');
  await expectEventually(() => page.getByRole('dialog').count()).toBe(0);
  await expectEventually(() => stopped).toBe(1);
  expect((await own.server.ask('GET', `/api/trees/${id}`)).body.version).toBe(edited.body.version);
  expect(tab.faults).toEqual([]);
  await own.close();
});

// Model names of all lengths move the button across the whole width of the header.
const findCovered = `(() => {
  const article = [...document.querySelectorAll('article')].at(-1);
  const side = article.querySelector('.side');
  const names = [...article.querySelectorAll('.group-strip .model')];
  const found = [];
  if (names.length < 5) found.push('names are missing');
  for (let length = 1; length <= 40; length++) {
    for (const name of names) name.textContent = 'm'.repeat(length);
    for (const button of [side, ...article.querySelectorAll('.acts button')]) {
      const box = button.getBoundingClientRect();
      for (const x of [box.left + 3, box.left + box.width / 2, box.right - 3])
        if (!button.contains(document.elementFromPoint(x, box.top + box.height / 2)))
          found.push(length + ' letters: ' + button.title + ' at ' + x);
    }
    const bar = article.querySelector('.acts').getBoundingClientRect();
    for (const { right } of [...names, side].map((one) => one.getBoundingClientRect()))
      if (right > bar.left) found.push(length + ' letters are below the actions');
  }
  return found;
})()`;

test('[B110] with six variants of six models nothing covers a button, however long the names are', async () => {
  const { id, ids } = await buildSample('Six', 'Which?');
  const { version } = await look(id);
  const begun = await fixture.server.ask('POST', `/api/trees/${id}/generations`, {
    version,
    body: { type: 'reply', parentId: ids[0], models: ['scripted/one'], n: 6 },
  });
  await expectEventually(
    async () => (await fixture.server.ask('GET', `/api/trees/${id}/generations`)).body.items,
  ).toEqual([]);
  for (const [index, { nodeId }] of begun.body.nodes.entries())
    await fixture.server.ask('PATCH', `/api/trees/${id}/nodes/${nodeId}/meta`, {
      body: { set: { source: { model: `a-model-with-a-long-name-${index}` } } },
    });
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  const side = page.getByRole('button', { name: 'Side by side' });
  await page.getByRole('article').last().hover();
  await side.waitFor();
  const covered: string[] = [];
  for (const width of [1440, 1180, 1000, 900]) {
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole('article').last().hover();
    covered.push(...(await page.evaluate<string[]>(findCovered)).map((where) => `${width}: ${where}`));
  }
  expect(covered).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await side.click();
  await expectEventually(() => page.locator('article.col').count()).toBe(6);
  await done(tab);
});
