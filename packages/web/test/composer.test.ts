import { textBeats } from '@coppice/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage, soon, type Tab } from './harness.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ replies: [textBeats('Seen.')] });
});
afterAll(() => stage.close());

async function newTree(): Promise<string> {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.' },
  ];
  return (await stage.server.ask('POST', '/api/trees', { body: { title: 'A tree', messages } })).body.treeId;
}

function box({ page }: Tab) {
  return page.getByRole('textbox', { name: 'Message' });
}

/** Pastes into the composer as a browser would: with data that a page can read. */
async function paste(tab: Tab, make: string): Promise<void> {
  await box(tab).focus();
  await tab.page.evaluate(`(() => {
    const data = new DataTransfer();
    ${make}
    document.getElementById('composer').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
}

test('[B40] commands are completed from the registry and run where the view is', async () => {
  const id = await newTree();
  const tab = await stage.open(`/t/${id}`);
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  await box(tab).fill('/re');
  await tab.page.getByRole('listbox', { name: 'Commands' }).getByRole('option').first().waitFor();
  const names = await tab.page.getByRole('listbox').getByRole('option').locator('code').allTextContents();
  expect(names.every((name) => name.includes('re'))).toBe(true);
  await box(tab).fill('/');
  await tab.page.keyboard.press('Escape');
  await soon(() => tab.page.getByRole('listbox').count()).toBe(0);
  await box(tab).fill('/no-such-command');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByRole('status').getByText('no-such-command').first().waitFor();
  // What was refused is put back to be mended.
  await soon(() => box(tab).inputValue()).toBe('/no-such-command');
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B41] a draft survives a reload, and a browser that keeps nothing does not stop anybody', async () => {
  const id = await newTree();
  const tab = await stage.open(`/t/${id}`);
  await box(tab).fill('Half a thought');
  await soon(() => tab.page.evaluate(`localStorage.getItem('coppice.draft.${id}')`)).toBe('Half a thought');
  await tab.page.reload();
  await soon(() => box(tab).inputValue()).toBe('Half a thought');
  await tab.page.evaluate(
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
  );
  await box(tab).fill('Said all the same');
  await tab.page.keyboard.press('Alt+Enter');
  await tab.page.getByTestId('thread').getByText('Said all the same').waitFor();
  await soon(async () => (await stage.server.ask('GET', `/api/trees/${id}?format=linear`)).body.messages.length).toBe(
    3,
  );
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B42] a large paste goes along as a file, a picture as a picture, and both are in the message', async () => {
  const id = await newTree();
  const tab = await stage.open(`/t/${id}`);
  await tab.page.getByTestId('thread').getByText('Hello.').waitFor();
  await paste(tab, "data.setData('text/plain', 'a line of a log\\n'.repeat(20000));");
  await tab.page.getByText('pasted.txt').waitFor();
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await paste(
    tab,
    `data.items.add(new File([Uint8Array.from(atob('${pixel}'), (c) => c.charCodeAt(0))], 'dot.png', { type: 'image/png' }));`,
  );
  await tab.page.getByText('dot.png').waitFor();
  await soon(() => box(tab).inputValue()).toBe('');
  await soon(() => tab.page.locator('.file-chip.ready').count()).toBe(2);
  await box(tab).fill('Look at these');
  await tab.page.keyboard.press('Alt+Enter');
  await tab.page.getByTestId('thread').getByRole('img', { name: 'Attached image' }).waitFor();
  await soon(async () => (await stage.server.ask('GET', `/api/trees/${id}?format=linear`)).body.messages.length).toBe(
    3,
  );
  const { body } = await stage.server.ask('GET', `/api/trees/${id}?format=linear`);
  const types = body.messages[2].content.map((block: { type: string }) => block.type);
  expect(types).toEqual(['text', 'file', 'image']);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B43] a chain of thousands opens at its end and draws only what is seen', async () => {
  const made = await stage.server.ask('POST', '/api/trees', { body: { title: 'Long' } });
  const id: string = made.body.treeId;
  const messages = Array.from({ length: 2000 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message number ${index}`,
  }));
  await stage.server.ask('POST', `/api/trees/${id}/messages`, { version: made.body.version, body: { messages } });
  const tab = await stage.open(`/t/${id}`);
  const thread = tab.page.getByTestId('thread');
  await thread.getByText('Message number 1999').waitFor();
  await soon(() => thread.getByRole('article').count()).toBeLessThan(60);
  await thread.hover();
  for (let turn = 0; turn < 8; turn++) await tab.page.mouse.wheel(0, -1500);
  // What lies above is read on the way, and what is read does not jump.
  await soon(async () => {
    await tab.page.mouse.wheel(0, -1500);
    return thread.getByText(/^Message number 1[0-8]\d\d$/).count();
  }).toBeGreaterThan(0);
  await soon(() => thread.getByRole('article').count()).toBeLessThan(60);
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
