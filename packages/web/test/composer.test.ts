// @module-tag browser
// @module-tag full
import { makeSamplePdf, makeTextEvents } from '@coppice/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

let fixture: PageFixture;

beforeAll(async () => {
  fixture = await openPageFixture({ replies: [makeTextEvents('Seen.')] });
});
afterAll(() => fixture.close());

async function newTree(): Promise<string> {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.' },
  ];
  return (await fixture.server.ask('POST', '/api/trees', { body: { title: 'A tree', messages } })).body.treeId;
}

function box({ page }: PageTab) {
  return page.getByRole('textbox', { name: 'Message' });
}

/** Pastes into the composer like a browser: with data that a page can read. */
async function paste(tab: PageTab, make: string): Promise<void> {
  await box(tab).focus();
  await tab.page.evaluate(`(() => {
    const data = new DataTransfer();
    ${make}
    document.getElementById('composer').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
}

test('[B40] commands are completed from the registry and run at the current message', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  await box(tab).fill('/re');
  await tab.page.getByRole('listbox', { name: 'Commands' }).getByRole('option').first().waitFor();
  const names = await tab.page.getByRole('listbox').getByRole('option').locator('code').allTextContents();
  expect(names.every((name) => name.includes('re'))).toBe(true);
  await box(tab).fill('/');
  await expectEventually(async () =>
    (await tab.page.getByRole('listbox').getByRole('option').locator('code').allTextContents()).filter(
      (name) => !name.startsWith('/'),
    ),
  ).toEqual([]);
  await tab.page.keyboard.press('Escape');
  await expectEventually(() => tab.page.getByRole('listbox').count()).toBe(0);
  await box(tab).fill('/no-such-command');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByRole('status').getByText('no-such-command').first().waitFor();
  // A refused line is put back for correction.
  await expectEventually(() => box(tab).inputValue()).toBe('/no-such-command');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B89] results of a command are listed and can be chosen by number, and each command is undone its own way', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  const run = async (line: string) => {
    await box(tab).fill(line);
    await page.keyboard.press('Enter');
  };
  const thread = page.getByTestId('thread');
  await thread.getByText('Hello.').waitFor();
  await run('/label the oak');
  await page.getByRole('status').getByText('Labelled assistant').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('status').getByText('Undid the label').waitFor();
  // Before the first message the thread is empty, and the text is in the composer.
  await run('/branch-here');
  await page.getByRole('region', { name: 'Next message' }).getByText('New chat').waitFor();
  await expectEventually(() => box(tab).inputValue()).toBe('Hi');
  await run('/tree --filter all');
  const listing = page.getByRole('dialog', { name: 'Command output' });
  await listing.getByRole('button', { name: /2\. .*assistant “Hello\.”/ }).waitFor();
  await page.keyboard.press('Escape');
  await run('/switch 2');
  await thread.getByText('Hello.').waitFor();
  await run('/branches');
  await listing.getByRole('button', { name: /1\. .*assistant/ }).click();
  await expectEventually(() => listing.count()).toBe(0);
  await run('/fork @~1');
  await expectEventually(() => page.url()).not.toContain(id);
  await expectEventually(() => box(tab).inputValue()).toBe('Hi');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B47] the list of commands covers no message, shortens long lines, and appears while the user types', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`, { viewport: { width: 900, height: 420 } });
  const said = tab.page.getByTestId('thread').getByText('Hello.');
  await said.waitFor();
  await box(tab).fill('/');
  const list = tab.page.getByRole('listbox', { name: 'Commands' });
  await list.getByRole('option').nth(3).waitFor();
  await expectEventually(async () => {
    const [above, below] = [await said.boundingBox(), await list.boundingBox()];
    return above !== null && below !== null && above.y + above.height <= below.y;
  }).toBe(true);
  const crowded = `[...document.querySelectorAll('.slash .opt')].filter((line) => {
    const [about, usage] = [line.querySelector('.desc'), line.querySelector('.arg')].map((part) => part.getBoundingClientRect());
    return about.right > usage.left || usage.right > line.getBoundingClientRect().right;
  }).length`;
  await expectEventually(() => tab.page.evaluate(crowded)).toBe(0);
  await box(tab).blur();
  await expectEventually(() => list.count()).toBe(0);
  await box(tab).focus();
  await list.waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B41] a draft survives a reload, and a browser without storage still works', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  await box(tab).fill('Half a thought');
  await expectEventually(() => tab.page.evaluate(`localStorage.getItem('coppice.draft.${id}')`)).toBe('Half a thought');
  await tab.page.reload();
  await expectEventually(() => box(tab).inputValue()).toBe('Half a thought');
  await tab.page.evaluate(
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
  );
  await box(tab).fill('Said all the same');
  await tab.page.keyboard.press('Alt+Enter');
  await tab.page.getByTestId('thread').getByText('Said all the same').waitFor();
  await expectEventually(
    async () => (await fixture.server.ask('GET', `/api/trees/${id}?format=linear`)).body.messages.length,
  ).toBe(3);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

async function countChats(): Promise<number> {
  const { body } = await fixture.server.ask('GET', '/api/trees?limit=500');
  return body.items.length;
}

test('[B49, B117] the user can type at once in a new chat, from home and from another chat, and it is stored with its first message', async () => {
  const tab = await fixture.open('/');
  await tab.page.getByRole('searchbox').waitFor();
  const writing = () => tab.page.evaluate("document.activeElement?.id === 'composer'");
  for (const place of ['home', 'tree']) {
    const before = tab.page.url();
    const stored = await countChats();
    await tab.page.evaluate('document.activeElement?.blur?.()');
    await tab.page.keyboard.press('n');
    // Text typed before the tree exists goes to its composer, and does not trigger keys of the page.
    await tab.page.keyboard.type(`From ${place}, `);
    await expectEventually(writing).toBe(true);
    await tab.page.keyboard.type('no letter lost');
    await expectEventually(() => box(tab).inputValue()).toBe(`From ${place}, no letter lost`);
    // Nothing is stored before the first message is sent.
    expect(await countChats()).toBe(stored);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByTestId('thread').getByText(`From ${place}, no letter lost`).waitFor();
    await expectEventually(() => tab.page.url() !== before).toBe(true);
    await expectEventually(() => tab.page.locator('article.ai').count()).toBe(1);
  }
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B42] a large paste is attached as a file, a picture as a picture, and both are in the message', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  await paste(tab, "data.setData('text/plain', 'a line of a log\\n'.repeat(20000));");
  await tab.page.getByText('pasted.txt').waitFor();
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await paste(
    tab,
    `data.items.add(new File([Uint8Array.from(atob('${pixel}'), (c) => c.charCodeAt(0))], 'dot.png', { type: 'image/png' }));`,
  );
  await tab.page.getByText('dot.png').waitFor();
  await expectEventually(() => box(tab).inputValue()).toBe('');
  await expectEventually(() => tab.page.locator('.file-chip.ready').count()).toBe(2);
  await box(tab).fill('Look at these');
  await tab.page.keyboard.press('Alt+Enter');
  await tab.page.getByTestId('thread').getByRole('img', { name: 'Attached image' }).waitFor();
  await expectEventually(
    async () => (await fixture.server.ask('GET', `/api/trees/${id}?format=linear`)).body.messages.length,
  ).toBe(3);
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}?format=linear`);
  const types = body.messages[2].content.map((block: { type: string }) => block.type);
  expect(types).toEqual(['text', 'file', 'image']);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B352] a key in a long text does not measure the text, which would take the browser seconds', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  await page.getByTestId('thread').getByText('Hello.').waitFor();
  await page.evaluate(`(() => {
    const { get, ...rest } = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollHeight');
    window.measured = 0;
    Object.defineProperty(Element.prototype, 'scrollHeight', {
      ...rest,
      get() {
        if (this instanceof HTMLTextAreaElement) window.measured++;
        return get.call(this);
      },
    });
  })()`);
  const measured = () => page.evaluate('window.measured');
  const lines = 'A line of a log that somebody wants to have explained.\n';
  const setText = (count: number) =>
    page.evaluate(`(() => {
      const area = document.querySelector('#composer');
      const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
      set.call(area, ${JSON.stringify(lines)}.repeat(${count}));
      area.dispatchEvent(new Event('input', { bubbles: true }));
      area.focus();
      window.measured = 0;
    })()`);
  const typeKeys = async () => {
    await page.keyboard.type('abc');
    await expectEventually(() => page.evaluate("document.querySelector('#composer').value.includes('abc')")).toBe(true);
  };
  await setText(20_000);
  await typeKeys();
  expect(await measured()).toBe(0);
  // A short text is measured, so that its box has its height.
  await setText(2);
  await typeKeys();
  await expectEventually(measured).toBeGreaterThanOrEqual(3);
  await box(tab).fill('');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B334] a copied table is pasted as text, and Enter that accepts a word of an input method does not send', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  const { page } = tab;
  await page.getByTestId('thread').getByText('Hello.').waitFor();
  await box(tab).focus();
  // The browser pastes the text itself, unless the page prevents it.
  const prevented = await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'a\\tb');
    data.setData('text/html', '<table><tr><td>a</td><td>b</td></tr></table>');
    data.items.add(new File(['x'], 'image.png', { type: 'image/png' }));
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    return !document.getElementById('composer').dispatchEvent(event);
  })()`);
  expect(prevented).toBe(false);
  expect(await page.locator('.file-chip').count()).toBe(0);
  await box(tab).fill('日本');
  for (const composing of ['isComposing: true', 'keyCode: 229'])
    await page.evaluate(
      `document.getElementById('composer').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ${composing}, bubbles: true, cancelable: true }))`,
    );
  expect(await box(tab).inputValue()).toBe('日本');
  await page.getByRole('button', { name: 'A tree', exact: true }).click();
  const title = page.getByRole('textbox', { name: 'Rename' });
  await title.press('a');
  await page.evaluate(
    "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))",
  );
  await title.waitFor();
  await title.press('Escape');
  await expectEventually(() => title.count()).toBe(0);
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}?format=linear`);
  expect(body.messages).toHaveLength(2);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B324] a file that is dropped anywhere in a chat is attached; where no file is taken, a drop does not leave the page', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  const dropOn = (selector: string) =>
    tab.page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['words'], 'list.txt', { type: 'text/plain' }));
      const target = document.querySelector('${selector}');
      return ['dragenter', 'dragover', 'drop'].map(
        (type) => target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })),
      );
    })()`);
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  // A handled event returns false; otherwise the browser would open the file.
  expect(await dropOn('[data-testid=thread]')).toEqual([false, false, false]);
  await expectEventually(() => tab.page.locator('.file-chip.ready').count()).toBe(1);
  expect(await tab.page.locator('.composer.over').count()).toBe(0);
  await tab.page.getByRole('link', { name: 'Settings' }).click();
  await tab.page.getByRole('heading', { name: 'Models' }).waitFor();
  expect(await dropOn('h1')).toEqual([false, false, false]);
  await tab.page.getByRole('link', { name: 'Back to chats' }).click();
  await expectEventually(() => tab.page.locator('.file-chip.ready').count()).toBe(1);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B43] a chain of thousands opens at its end and draws only the visible part', async () => {
  const made = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Long' } });
  const id: string = made.body.treeId;
  const messages = Array.from({ length: 2000 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message number ${index}`,
  }));
  await fixture.server.ask('POST', `/api/trees/${id}/messages`, { version: made.body.version, body: { messages } });
  const tab = await fixture.open(`/t/${id}`);
  const thread = tab.page.getByTestId('thread');
  await thread.getByText('Message number 1999').waitFor();
  await expectEventually(() => thread.getByRole('article').count()).toBeLessThan(60);
  await thread.hover();
  for (let turn = 0; turn < 8; turn++) await tab.page.mouse.wheel(0, -1500);
  // Older messages are loaded while scrolling, and the visible ones do not jump.
  await expectEventually(async () => {
    await tab.page.mouse.wheel(0, -1500);
    return thread.getByText(/^Message number 1[0-8]\d\d$/).count();
  }).toBeGreaterThan(0);
  await expectEventually(() => thread.getByRole('article').count()).toBeLessThan(60);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B262] a picture has a thumbnail in the composer and in the chat, where a click enlarges it; files show their kind', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await tab.page.locator('input[type=file]').setInputFiles([
    { name: 'tree.png', mimeType: 'image/png', buffer: picture },
    { name: 'wood.pdf', mimeType: 'application/pdf', buffer: makeSamplePdf('A wood') },
  ]);
  await expectEventually(() => tab.page.locator('.file-chip.ready').count()).toBe(2);
  await tab.page.locator('.file-chip .thumbnail').waitFor();
  await tab.page.locator('.file-chip').getByText('PDF,').waitFor();
  await box(tab).fill('What is this?');
  await tab.page.keyboard.press('Alt+Enter');
  const thread = tab.page.getByTestId('thread');
  const shown = thread.getByRole('button', { name: 'Enlarge the image' });
  await shown.waitFor();
  // The page loads the image by its hash; the bytes are not part of the message.
  await expectEventually(() => thread.locator('img.picture').getAttribute('src')).toMatch(
    /^\/api\/attachments\/[0-9a-f]{64}$/,
  );
  await shown.click();
  await thread.getByRole('button', { name: 'Shrink the image' }).waitFor();
  await thread.getByRole('link', { name: /wood\.pdf/ }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B95] a file that failed to upload is sent again, and survives a command and a reload', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  await tab.page.route('**/api/attachments', (route) => route.abort());
  await paste(tab, "data.setData('text/plain', 'a line of a log\\n'.repeat(4000));");
  await tab.page.locator('.file-chip.failed').waitFor();
  await box(tab).fill('Look at this');
  await tab.page.keyboard.press('Alt+Enter');
  await tab.page.getByRole('status').getByText('was not uploaded').waitFor();
  await expectEventually(() => box(tab).inputValue()).toBe('Look at this');
  await tab.page.unroute('**/api/attachments');
  await tab.page.getByRole('button', { name: 'Upload pasted.txt again' }).click();
  await tab.page.locator('.file-chip.ready').waitFor();
  await box(tab).fill('/no-such-command');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByRole('status').getByText('no-such-command').first().waitFor();
  await expectEventually(() => tab.page.locator('.file-chip.ready').count()).toBe(1);
  await box(tab).fill('Look at this');
  await tab.page.reload();
  await tab.page.locator('.file-chip.ready').waitFor();
  await expectEventually(() => box(tab).inputValue()).toBe('Look at this');
  await tab.page.keyboard.press('/');
  await tab.page.keyboard.press('Alt+Enter');
  await expectEventually(
    async () => (await fixture.server.ask('GET', `/api/trees/${id}?format=linear`)).body.messages.length,
  ).toBe(3);
  const { body } = await fixture.server.ask('GET', `/api/trees/${id}?format=linear`);
  expect(body.messages[2].content.map((block: { type: string }) => block.type)).toEqual(['text', 'file']);
  await expectEventually(() => tab.page.locator('.files .file-chip').count()).toBe(0);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B95, B118] a first message waits for its files, an empty file is refused by name, and the prompts can be reached', async () => {
  const tab = await fixture.open();
  const { page } = tab;
  await box(tab).fill('/');
  await page.getByRole('option', { name: /New prompt/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Instructions and presets' }).waitFor();
  await page.goBack();
  await expectEventually(() => box(tab).inputValue()).toBe('');
  const uploads: (() => void)[] = [];
  await page.route('**/api/attachments', async (route) => {
    await new Promise<void>((resolve) => uploads.push(resolve));
    await route.continue();
  });
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([
      { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.from('') },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes about bread') },
    ]);
  await page.getByRole('status').getByText('“empty.txt” is empty').waitFor();
  await page.locator('.file-chip.sending').waitFor();
  await box(tab).fill('What is this?');
  await page.keyboard.press('Enter');
  await expectEventually(() => uploads.length).toBe(1);
  uploads[0]?.();
  await page.getByTestId('thread').getByText('Seen.').waitFor();
  await page.getByTestId('thread').getByText('notes.txt').first().waitFor();
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B95] files of a first message are in no other chat, and a file that is uploaded while its chat is left stays', async () => {
  const tab = await fixture.open();
  const { page } = tab;
  const attach = (name: string) =>
    page
      .locator('input[type=file]')
      .first()
      .setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from('Notes about bread') }]);
  const chips = () => page.locator('.composer .file-chip').allTextContents();
  const newChat = () =>
    page
      .getByRole('button', { name: /^New chat/ })
      .first()
      .click();
  await attach('sent.txt');
  await page.locator('.file-chip.ready').waitFor();
  await box(tab).fill('What is this?');
  await page.keyboard.press('Enter');
  await page.getByTestId('thread').getByText('Seen.').waitFor();
  expect(await chips()).toEqual([]);
  await newChat();
  await page.locator('.start-dock .composer').waitFor();
  expect(await chips()).toEqual([]);

  // Another chat is opened before the upload is complete.
  const uploads: (() => void)[] = [];
  await page.route('**/api/attachments', async (route) => {
    await new Promise<void>((resolve) => uploads.push(resolve));
    await route.continue();
  });
  await attach('slow.txt');
  await page.locator('.file-chip.sending').waitFor();
  await page.goBack();
  await page.getByTestId('thread').getByText('Seen.').waitFor();
  const uploaded = page.waitForResponse('**/api/attachments');
  uploads[0]?.();
  await uploaded;
  await newChat();
  await page.locator('.start-dock .file-chip.ready').getByText('slow.txt').waitFor();
  await page.reload();
  await page.locator('.start-dock .file-chip.ready').getByText('slow.txt').waitFor();
  expect(await chips()).toHaveLength(1);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B95] a first message that is only a file is sent as soon as the file is uploaded', async () => {
  const tab = await fixture.open();
  const { page } = tab;
  const uploads: (() => void)[] = [];
  await page.route('**/api/attachments', async (route) => {
    await new Promise<void>((resolve) => uploads.push(resolve));
    await route.continue();
  });
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([{ name: 'only.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes about rye') }]);
  await page.locator('.file-chip.sending').waitFor();
  await box(tab).press('Enter');
  uploads[0]?.();
  await page.getByTestId('thread').getByText('Seen.').waitFor();
  expect(await page.getByTestId('thread').getByText('only.txt').count()).toBeGreaterThan(0);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B95] a file that is too large is refused with the reason, and the rest of the message is not lost', async () => {
  const tab = await fixture.open();
  const { page } = tab;
  await box(tab).fill('Please read this');
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'film.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(25_000_000) });
  await page.locator('.composer').getByText('film.bin: A file may have at most 21 MB.').waitFor();
  await page.getByRole('button', { name: 'Remove film.bin' }).click();
  await expectEventually(() => page.getByText('A file may have').count()).toBe(0);
  expect(await box(tab).inputValue()).toBe('Please read this');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B120] the composer says that the model of a chat is gone, and which one replies instead', async () => {
  const body = { metadata: { options: { models: ['scripted/gone'] } }, messages: [{ role: 'user', content: 'Hi' }] };
  const { treeId } = (await fixture.server.ask('POST', '/api/trees', { body })).body;
  const tab = await fixture.open(`/t/${treeId}`);
  const { page } = tab;
  const note = page.locator('.composer').getByText('gone is not available. guide replies instead.');
  await note.waitFor();
  await page.getByRole('button', { name: /^Model: / }).click();
  await page.getByRole('dialog', { name: 'Models' }).locator('.model-row').first().click();
  await expectEventually(() => note.count()).toBe(0);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B97] a message that waits for the server is sent even if another tree is opened meanwhile', async () => {
  const [here, there] = [await newTree(), await newTree()];
  const tab = await fixture.open(`/t/${here}`);
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  await tab.page.route(`**/api/trees/${here}/messages`, (route) => route.abort());
  await box(tab).fill('Said into the dark');
  await tab.page.keyboard.press('Alt+Enter');
  await tab.page.getByText('1 change is waiting').waitFor();
  // Navigates within the page, like a click on a link in the list.
  await tab.page.evaluate(`history.pushState(null, '', '/t/${there}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await tab.page.unroute(`**/api/trees/${here}/messages`);
  await expectEventually(
    async () => (await fixture.server.ask('GET', `/api/trees/${here}?format=linear`)).body.messages.length,
  ).toBe(3);
  // Messages that did not arrive before the page was closed are put back into the composer; others are not.
  const lost = [
    { id: '00000000-0000-4000-8000-000000000001', text: 'Never sent', at: 1 },
    { id: (await fixture.server.ask('GET', `/api/trees/${there}`)).body.activeNodeId, text: 'Sent before', at: 1 },
  ];
  await tab.page.evaluate(`localStorage.setItem('coppice.unsent.${there}', '${JSON.stringify(lost)}')`);
  await tab.page.goto(`${fixture.url}/t/${there}`);
  await expectEventually(() => box(tab).inputValue()).toBe('Never sent');
  await expectEventually(() => tab.page.evaluate(`localStorage.getItem('coppice.unsent.${there}')`)).toBe(null);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B96] an unfinished edit survives Escape and a reload', async () => {
  const id = await newTree();
  const tab = await fixture.open(`/t/${id}`);
  const first = tab.page.getByRole('article').first();
  const area = tab.page.getByRole('textbox', { name: 'Edit the message' });
  const begin = async () => {
    await first.focus();
    await tab.page.keyboard.press('e');
    await area.waitFor();
  };
  await first.waitFor();
  await begin();
  await area.fill('Hi, and more');
  await tab.page.keyboard.press('Escape');
  await tab.page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expectEventually(() => area.inputValue()).toBe('Hi, and more');
  await tab.page.reload();
  await first.waitFor();
  await begin();
  await expectEventually(() => area.inputValue()).toBe('Hi, and more');
  await tab.page.keyboard.press('Control+s');
  await area.waitFor({ state: 'detached' });
  await tab.page.getByTestId('thread').getByText('Hi, and more').waitFor();
  await begin();
  // After saving there is no draft.
  await expectEventually(() => area.inputValue()).toBe('Hi, and more');
  await tab.page.keyboard.press('Escape');
  await expectEventually(() =>
    tab.page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft'))"),
  ).toEqual([]);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B48, B55] a message being edited is fully visible on a phone, and each paragraph has its own direction', async () => {
  const arabic = 'مرحبا، كيف يمكنني ترقية قاعدة البيانات؟ '.repeat(4).trim();
  const messages = [
    { role: 'user', content: arabic },
    { role: 'assistant', content: `${arabic}\n\n- ${arabic}\n\nAnd in English.\n\n\`\`\`js\nlet x;\n\`\`\`` },
  ];
  const made = await fixture.server.ask('POST', '/api/trees', { body: { title: arabic, messages } });
  const tab = await fixture.open(`/t/${made.body.treeId}`, { viewport: { width: 390, height: 844 } });
  const thread = tab.page.getByTestId('thread');
  await thread.getByText('And in English.').waitFor();
  const ways = `[...document.querySelectorAll('.body p, .body ul, .body pre')].map((part) => getComputedStyle(part).direction)`;
  await expectEventually(() => tab.page.evaluate(ways)).toEqual(['rtl', 'rtl', 'rtl', 'ltr', 'ltr']);
  await thread.getByRole('article').first().focus();
  await tab.page.keyboard.press('e');
  const edit = tab.page.getByRole('textbox', { name: 'Edit the message' });
  await edit.waitFor();
  const seen = `(() => {
    const box = document.querySelector('.editbox textarea');
    return { whole: box.scrollHeight <= box.clientHeight + 1, direction: getComputedStyle(box).direction };
  })()`;
  await expectEventually(() => tab.page.evaluate(seen)).toEqual({ whole: true, direction: 'rtl' });
  const out = `(() => {
    const whole = document.querySelector('.editbox').getBoundingClientRect();
    return [...document.querySelectorAll('.editbox .btn')].filter((each) => each.getBoundingClientRect().right > whole.right).length;
  })()`;
  await expectEventually(() => tab.page.evaluate(out)).toBe(0);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B99] the page can send and copy in a browser without random ids and clipboard', async () => {
  const id = await newTree();
  const { context, page: first } = await fixture.open('/');
  await first.close();
  await context.addInitScript(
    "delete Crypto.prototype.randomUUID; Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined });",
  );
  const tab = await fixture.open(`/t/${id}`, { context });
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  await box(tab).fill('From another room');
  await tab.page.keyboard.press('Alt+Enter');
  await expectEventually(
    async () => (await fixture.server.ask('GET', `/api/trees/${id}?format=linear`)).body.messages.length,
  ).toBe(3);
  await tab.page.evaluate("addEventListener('copy', () => { window.copied = document.activeElement.value; })");
  await tab.page.getByRole('article').first().focus();
  await tab.page.keyboard.press('y');
  await expectEventually(() => tab.page.evaluate('window.copied')).toBe('Hi');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
