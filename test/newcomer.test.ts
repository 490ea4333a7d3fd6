// @module-tag browser
// @module-tag full
/**
 * Tests what a new user does after starting Coppice, entirely on the page, without a file or a terminal. The command,
 * the server, the browser and the tool server are real; only the model is a small server of the test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCliOnce } from '@coppice/cli/testing';
import {
  findFreePort,
  makeSamplePdf,
  openModelServer,
  type RawServer,
  type SeenRequest,
  startReferenceServer,
  type WireReply,
} from '@coppice/engine/testing';
import { collectPageFaults, ensurePageBuilt, expectEventually, openTestBrowser } from '@coppice/web/testing';
import { findSeriousViolations } from '@coppice/web/testing/axe';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';

const key = 'sk-canary-newcomer-0001';
const names = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Gorse', 'Hazel', 'Ivy'];

interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** Returns the text of a message in a request, with any kind of parts. */
function textIn({ content }: WireMessage): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

function messagesIn(request: SeenRequest): readonly WireMessage[] {
  return JSON.parse(request.body).messages;
}

function isTitleRequest(request: SeenRequest): boolean {
  return request.path.endsWith('/completions') && textIn(messagesIn(request)[0] ?? { role: '' }).startsWith('You name');
}

/**
 * Creates a model that answers the requests of the test: a title, a tool call, the content of a file, or the next name
 * of a list.
 */
function createModel(): (request: SeenRequest) => WireReply {
  let given = 0;
  return (request) => {
    const messages = messagesIn(request);
    const last = messages.at(-1) ?? { role: 'user' };
    const text = textIn(last);
    if (isTitleRequest(request)) return { text: 'Naming a boat' };
    if (last.role === 'tool') return { text: `The tool said: ${text}` };
    if (text.includes('<answer-A>')) return { text: 'Birch or Cedar [A] [B].' };
    if (text.includes('echo'))
      return { calls: [{ id: 'call_1', name: 'helper__echo', parameters: { message: 'Ahoy' } }] };
    if (text.includes('file say'))
      return { text: /harbour fee is (\d+)/.exec(JSON.stringify(messages))?.[0] ?? 'I see no file.' };
    given++;
    return { text: `Call it ${names[(given - 1) % names.length]}.` };
  };
}

interface Journey {
  readonly home: string;
  readonly port: number;
  readonly models: RawServer;
  readonly helper: ChildProcess;
  readonly helperPort: number;
  readonly browser: Browser;
  coppice: ChildProcess;
}

/** Starts `coppice` in a home directory; returns its process and the sign-in token. */
async function startCoppice(home: string, port: number): Promise<{ child: ChildProcess; token: string }> {
  const words = [await compileCliOnce(), '--json', 'serve', '--port', String(port), '--no-open'];
  const child = spawn(process.execPath, words, {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const piece of child.stdout) {
    said += String(piece);
    if (said.includes('\n')) return { child, token: JSON.parse(said).token };
  }
  throw new Error(`The server did not come up: ${said}`);
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

let journey: Journey;
let token: string;

// A retry of the test also starts with an empty home directory.
beforeEach(async () => {
  await ensurePageBuilt();
  const home = mkdtempSync(join(tmpdir(), 'coppice-newcomer-'));
  const [port, helperPort] = [await findFreePort(), await findFreePort()];
  const { child, token: printed } = await startCoppice(home, port);
  token = printed;
  journey = {
    home,
    port,
    helperPort,
    models: await openModelServer({ key, reply: createModel() }),
    helper: await startReferenceServer(helperPort),
    browser: await openTestBrowser(),
    coppice: child,
  };
});
afterEach(async () => {
  await journey.browser.close();
  await stopProcess(journey.coppice);
  await stopProcess(journey.helper);
  await journey.models.close();
  rmSync(journey.home, { recursive: true, force: true });
});

const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const threadOf = (page: Page) => page.getByTestId('thread');

async function send(page: Page, text: string): Promise<void> {
  await composerOf(page).fill(text);
  await composerOf(page).press('Enter');
}

/** Waits until no reply is being written; returns the last one. */
async function lastReply(page: Page): Promise<Locator> {
  await expectEventually(() => page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
  return threadOf(page).locator('article.ai').last();
}

test('a new user connects a model, chats with a preset, a file and a tool, edits, combines and shares, on the page alone', async () => {
  const { browser, models, port, helperPort, home } = journey;
  const url = `http://127.0.0.1:${port}`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  collectPageFaults(page, url, faults);

  // The first screen has an input field and asks the user to connect a model.
  await page.goto(`${url}/?token=${token}`);
  await composerOf(page).waitFor();
  const connect = page.getByRole('region', { name: /^Connect a model/ });
  await connect.getByRole('button', { name: /^Another address/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Workshop');
  await page.getByLabel('Address').fill(models.url);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Test', exact: true }).last().click();
  await page.getByText('small-model, large-model').waitFor();
  expect(await findSeriousViolations({ page })).toEqual([]);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: 'Workshop' }).getByText('Connected, 2 models').waitFor();

  // Creates a preset with its own prompt and chooses it for the first chat.
  await page.getByRole('link', { name: 'Back to chats' }).click();
  await page.getByRole('button', { name: 'Preset' }).click();
  await page.getByRole('menuitem', { name: 'Instructions and presets' }).click();
  await page.getByRole('button', { name: 'New preset' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Namer');
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer with one short name.');
  await page.getByRole('button', { name: 'Save preset' }).click();
  await page.getByRole('button', { name: /^Namer/ }).waitFor();
  await page
    .getByRole('button', { name: /^New chat/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Preset' }).click();
  await page.getByRole('menuitem', { name: 'Namer' }).click();
  await send(page, 'What do I call my boat?');
  await (await lastReply(page)).getByText('Call it Alder.').waitFor();
  const first = models.requests.find(({ body }) => body.includes('What do I call my boat?'));
  expect(first === undefined ? null : textIn(messagesIn(first)[0] ?? { role: '' })).toBe('Answer with one short name.');

  // Sends a PDF to a model that accepts no files.
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  const pdf = { name: 'fees.pdf', mimeType: 'application/pdf', buffer: makeSamplePdf('The harbour fee is 42 euros.') };
  await (await chooser).setFiles(pdf);
  await page.getByText('fees.pdf').waitFor();
  await send(page, 'What does the file say?');
  await (await lastReply(page)).getByText('harbour fee is 42').waitFor();

  // Adds a tool server by its URL; each call needs approval.
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Tools and servers' }).click();
  await page.getByRole('button', { name: 'Add server' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('helper');
  await page.getByLabel('Address', { exact: true }).fill(`http://127.0.0.1:${helperPort}/mcp`);
  await page.getByRole('button', { name: 'Add server' }).last().click();
  await page.getByText(/^Connected, \d+ tools/).waitFor();
  await page.getByRole('link', { name: 'Back to chats' }).click();
  await threadOf(page).getByText('harbour fee is 42').waitFor();
  await send(page, 'Call the echo, please');
  const call = threadOf(page).getByRole('region', { name: 'Tool call helper__echo' });
  await call.getByRole('button', { name: 'Allow once' }).click();
  await (await lastReply(page)).getByText('Echo: Ahoy').waitFor();
  // While a reply is being written the thread scrolls with it, away from the message that is edited next.
  await expectEventually(() => page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);

  // Editing adds a new version; one click shows the old one.
  const question = threadOf(page).getByRole('article').filter({ hasText: 'What do I call my boat?' });
  // Edits with the key `e`, because the message could move away from the mouse: rows are measured while the thread
  // scrolls up.
  await question.focus();
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('What do I call my ship?');
  await page.getByRole('button', { name: 'Branch and send' }).click();
  await (await lastReply(page)).getByText('Call it Birch.').waitFor();
  const changed = threadOf(page).getByRole('article').filter({ hasText: 'What do I call my ship?' });
  await changed.getByRole('button', { name: 'Previous version' }).click();
  await threadOf(page).getByText('Echo: Ahoy').first().waitFor();
  await question.getByRole('button', { name: 'Next version' }).click();
  await threadOf(page).getByText('Call it Birch.').waitFor();

  // Generates three more replies, and one that combines two of them.
  const reply = await lastReply(page);
  await reply.hover();
  await reply.getByRole('button', { name: 'Regenerate with' }).click();
  await page.getByRole('button', { name: 'Generate three replies' }).click();
  // The three requests reach the model at once, each in its own connection, so any of the names may be the last reply's.
  const newest = await lastReply(page);
  await newest.getByText(/^Call it (Cedar|Dogwood|Elm)\.$/).waitFor();
  await newest.getByText('4/4', { exact: true }).waitFor();
  await newest.hover();
  await newest.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Combine answers' }).click();
  const panel = page.getByRole('complementary', { name: 'Combine answers' });
  await panel.getByText(/^Answers, \d selected/).waitFor();
  expect(await findSeriousViolations({ page })).toEqual([]);
  await panel.getByRole('button', { name: 'Combine' }).click();
  await page.locator('.col.combined').getByText('Birch or Cedar').waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Back to the thread (Esc)' }).click();
  await threadOf(page).getByText('Birch or Cedar').waitFor();

  // Stops the server during a reply and starts it again.
  await stopProcess(journey.coppice);
  await page.getByText('Offline.').waitFor();
  await send(page, 'And a dinghy?');
  await page.getByText('change is waiting').waitFor();
  journey.coppice = (await startCoppice(home, port)).child;
  await expectEventually(() => page.getByText('Offline.').count()).toBe(0);
  await (await lastReply(page)).getByText('Call it Fir.').waitFor();

  // Shares the branch with a visitor who has no token.
  await page.getByRole('button', { name: 'More', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Share this branch' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
  await page.keyboard.press('Escape');
  const stranger = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await stranger.goto(link);
  await stranger.getByText('What do I call my ship?').waitFor();
  await stranger.getByText('Call it Fir.').waitFor();
  expect(await stranger.getByText('What do I call my boat?').count()).toBe(0);
  await stranger.context().close();

  // Continues the same chat at the width of a phone.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: /^Chats/ }).click();
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Naming a boat/ })
    .click();
  await page.getByRole('button', { name: /^Options/ }).click();
  const options = page.getByRole('dialog', { name: 'Options for this chat' });
  await options.getByRole('button', { name: 'Close' }).click();
  await send(page, 'One more?');
  await (await lastReply(page)).getByText('Call it Gorse.').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await findSeriousViolations({ page })).toEqual([]);

  // All requests together needed one title, and the page contains no key.
  expect(models.requests.filter(isTitleRequest)).toHaveLength(1);
  expect(await page.content()).not.toContain('canary');
  expect(faults).toEqual([]);
  await context.close();
});
