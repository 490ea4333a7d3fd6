/**
 * `npm run screenshots [-- name …] [--dark] [--docs]`: saves every screen in light and dark, in the width of a phone,
 * and in the width of a narrow phone in dark, to `.tmp/screenshots`. With `--docs` it saves the three screenshots of
 * the documents to `docs/screenshots`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { libraryProject } from '@coppice/core';
import { encodeReply, makeTextEvents, openRawServer } from '@coppice/engine/testing';
import { addTestUsers } from '@coppice/server/testing';
import type { Page } from 'playwright-core';
import { createDemoTree, type DemoTree } from './demo-tree.ts';
import { openPageFixture, type PageFixture } from './page-fixture.ts';
import { createSampleChats } from './sample-chats.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const shownInDocuments = new Set(['thread-light', 'map-light', 'compare-light']);

function fileOf(name: string): string {
  const isDocument = process.argv.includes('--docs') && shownInDocuments.has(name);
  return join(repository, isDocument ? 'docs/screenshots' : '.tmp/screenshots', `${name}.png`);
}

interface Shot {
  readonly name: string;
  readonly path: (demo: DemoTree) => string;
  /** A text that is visible when the screen is ready. */
  readonly ready: string;
  /** Whether the screen is skipped on a phone. */
  readonly desktop?: boolean;
  /** Whether the screen is saved only on a phone. */
  readonly touch?: boolean;
  readonly act?: (page: Page, fixture: PageFixture, demo: DemoTree, phone: boolean) => Promise<void>;
}

const press = (keys: string) => async (page: Page) => {
  await page.keyboard.press(keys);
};

const chats = ['Sourdough, second attempt', 'Names for the boat', 'Regex for invoices', 'A week in Lisbon'].map(
  (title) => ({
    id: title,
    title,
    messages: [
      { role: 'user', content: `${title}?` },
      { role: 'assistant', content: 'Let us see.' },
    ],
  }),
);

const shots: readonly Shot[] = [
  { name: 'thread', path: (demo) => `/t/${demo.id}`, ready: '[data-testid=thread] article' },
  { name: 'thread-top', path: (demo) => `/t/${demo.id}/${demo.asked}`, ready: '[data-testid=thread] article' },
  { name: 'home', path: () => '/', ready: 'text=Retro notes' },
  { name: 'search', path: () => '/?q=replication+slot', ready: 'mark' },
  {
    name: 'map',
    path: (demo) => `/t/${demo.id}?view=map`,
    ready: '.minimap canvas',
    act: async (page) => {
      await page.waitForTimeout(400);
      await page.locator('.map-canvas').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
    },
  },
  {
    name: 'map-far',
    path: (demo) => `/t/${demo.id}?view=map`,
    ready: '.minimap canvas',
    act: clicking('Far'),
    desktop: true,
  },
  {
    name: 'map-near',
    path: (demo) => `/t/${demo.id}?view=map`,
    ready: '.minimap canvas',
    act: clicking('Near'),
    desktop: true,
  },
  { name: 'context', path: (demo) => `/t/${demo.id}?view=context`, ready: '.seg-msg' },
  {
    name: 'compare',
    path: (demo) => `/t/${demo.id}/${demo.pause}?view=compare`,
    ready: '.diff mark',
  },
  {
    name: 'combine',
    path: (demo) => `/t/${demo.id}/${demo.answers[1]}?view=compare`,
    ready: '.diff mark',
    act: async (page, _fixture, _demo, phone) => {
      await page.getByRole('button', { name: 'Combine answers' }).click();
      await page.locator('.combine-way').first().waitFor();
      if (phone) return;
      await page.locator('.combine-foot button').click();
      await page.locator('.col.combined').getByText('Hello there.').first().waitFor();
    },
  },
  {
    name: 'compare-models',
    path: (demo) => `/t/${demo.id}?view=compare&a=${demo.answers[1]}&b=${demo.answers[2]}`,
    ready: '.diff mark',
  },
  {
    name: 'history',
    path: (demo) => `/t/${demo.id}?view=history`,
    ready: '.past article',
    act: async (page) => {
      await page.getByRole('slider').fill('14');
    },
  },
  {
    name: 'delete',
    path: (demo) => `/t/${demo.id}/${demo.pause}`,
    ready: '[data-testid=thread] article',
    act: async (page, _fixture, demo) => {
      await page.locator(`[data-node-id="${demo.pause}"]`).focus();
      await page.keyboard.press('Backspace');
      await page.locator('.delete-dialog .pickrow').first().waitFor();
      await page.waitForTimeout(500);
    },
  },
  {
    name: 'bookmarks',
    path: () => '/?in=bookmarks',
    ready: '.bookmark-line',
  },
  {
    name: 'split',
    path: (demo) => `/t/${demo.id}/${demo.asked}`,
    ready: '[data-testid=thread] article',
    act: async (page, _fixture, demo) => {
      await page.locator(`[data-node-id="${demo.asked}"] article`).focus();
      await page.keyboard.press('x');
      await page.locator('.split-text').waitFor();
    },
  },
  {
    name: 'move-to-tree',
    path: (demo) => `/t/${demo.id}/${demo.pause}`,
    ready: '[data-testid=thread] article',
    act: async (page, _fixture, demo, phone) => {
      await page.locator(`[data-node-id="${demo.pause}"] article`).focus();
      await page.keyboard.press('Meta+k');
      await page.getByRole('combobox').fill('move or copy');
      await page.keyboard.press('Enter');
      await page
        .locator('.tree-pick')
        .nth(phone ? 0 : 1)
        .click();
    },
  },
  {
    name: 'actions',
    path: (demo) => `/t/${demo.id}/${demo.pause}`,
    ready: '[data-testid=thread] article',
    touch: true,
    act: async (page, _fixture, demo) => {
      const box = await page.locator(`[data-node-id="${demo.pause}"] .body`).boundingBox();
      if (box === null) throw new Error('There is no message.');
      const session = await page.context().newCDPSession(page);
      const touchPoints = [{ x: box.x + 40, y: box.y + 20 }];
      await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
      await page.locator('.sheet-first').waitFor();
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    },
  },
  {
    name: 'share',
    path: (demo) => `/t/${demo.id}`,
    ready: '[data-testid=thread] article',
    act: async (page, _fixture, _demo, phone) => {
      if (phone) {
        await page.locator('.main > .bar').getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: /share/i }).first().click();
      } else await page.getByRole('button', { name: /share/i }).first().click();
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.locator('.link-row').waitFor();
    },
  },
  {
    name: 'palette',
    path: (demo) => `/t/${demo.id}`,
    ready: '[data-testid=thread] article',
    act: press('Meta+k'),
  },
  {
    name: 'import',
    path: () => '/',
    ready: 'text=Retro notes',
    act: async (page) => {
      await page.getByRole('button', { name: 'Import…' }).click();
      // Nothing is stored, so that the other screenshots do not change.
      await page.getByLabel('Preview only').check();
      await page
        .getByRole('dialog')
        .locator('input[multiple]')
        .setInputFiles({
          name: 'conversations.json',
          mimeType: 'application/json',
          buffer: Buffer.from(JSON.stringify([...chats, 'a line that is no conversation'])),
        });
      await page.getByText('Preview; nothing was imported').waitFor();
      await page.getByText('not a conversation').waitFor();
    },
  },
  {
    name: 'export',
    path: (demo) => `/t/${demo.id}`,
    ready: '[data-testid=thread] article',
    act: async (page) => {
      await page.locator('.main > .bar').getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Export…' }).click();
      await page.getByRole('combobox', { name: 'Format' }).selectOption('chatgpt');
      await page.getByRole('region', { name: 'What this format cannot store' }).waitFor();
    },
  },
  {
    name: 'settings-models',
    path: () => '/settings',
    ready: '.row-item',
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a key for Anthropic' }).click();
      await page.getByLabel('API key').fill('example-only-example-only');
      await page.getByRole('button', { name: 'Test', exact: true }).last().waitFor();
    },
  },
  { name: 'settings-tools', path: () => '/settings/tools', ready: '.row-item' },
  { name: 'settings-sign-in', path: () => '/settings/access', ready: '.row-item' },
  { name: 'presets', path: () => '/library', ready: '.library', act: createPreset },
  {
    name: 'options',
    path: (demo) => `/t/${demo.id}`,
    ready: '[data-testid=thread] article',
    act: async (page) => {
      await page.getByRole('button', { name: /^Options/ }).click();
      await page.locator('.options').waitFor();
    },
  },
  { name: 'trash', path: () => '/trash', ready: '.trashrow' },
  { name: 'shared', path: () => '/trash', ready: '.trashrow', act: shared },
  // These screens come last, because they sign the browser out.
  {
    name: 'signed-out',
    path: (demo) => `/t/${demo.id}`,
    ready: '[data-testid=thread] article',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).fill('Write cutover.sh, and log every step.');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.signed-out').waitFor();
    },
  },
  {
    name: 'sign-in',
    path: () => '/',
    ready: '#app',
    act: async (page) => {
      await page.context().clearCookies();
      await page.goto(new URL('/', page.url()).href);
      await page.locator('.sign-in-form').waitFor();
    },
  },
];

async function createPreset(page: Page, fixture: PageFixture): Promise<void> {
  const preset = { title: 'Reviewer', systemPrompt: 'Review the text. Be brief.', metadata: { kind: 'preset' } };
  await fixture.server.ask('POST', '/api/trees', { body: { project: libraryProject, ...preset } });
  await page.reload();
  await page.locator('.library').waitFor();
}

function clicking(name: string) {
  return async (page: Page) => {
    const button = page.getByRole('button', { name, exact: true });
    if (await button.isVisible()) await button.click();
  };
}

async function shared(page: Page, fixture: PageFixture, demo: DemoTree): Promise<void> {
  const made = await fixture.server.ask('POST', `/api/trees/${demo.id}/shares`, { body: { nodeId: demo.pause } });
  await page.goto(new URL(made.body.url, fixture.url).href);
  await page.locator('.past article').first().waitFor();
}

// Key names are those of a Mac on every machine.
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';

const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'narrow', colorScheme: 'dark', viewport: { width: 320, height: 640 } },
] as const;

/** The page of a new user, and the tour of the example. */
async function welcome(look: (typeof looks)[number]): Promise<void> {
  const empty = await openPageFixture();
  try {
    const { page } = await empty.open('/', {
      viewport: look.viewport,
      colorScheme: look.colorScheme,
      userAgent: mac,
    });
    const example = page.getByRole('button', { name: 'See an example' }).first();
    await example.waitFor();
    await page.waitForTimeout(500);
    await page.screenshot({ path: fileOf(`empty-${look.name}`) });
    await example.click();
    await page.getByRole('dialog').waitFor();
    await page.waitForTimeout(700);
    await page.screenshot({ path: fileOf(`tour-${look.name}`) });
  } finally {
    await empty.close();
  }
}

/** The page of an admin on a server with users. */
async function people(look: (typeof looks)[number]): Promise<void> {
  const shared = await openPageFixture({ auth: { mode: 'users' } });
  try {
    await addTestUsers(shared.server.store);
    const { viewport, colorScheme } = look;
    const { page } = await shared.open('/settings/people', { viewport, colorScheme, userAgent: mac });
    await page.getByLabel(/token/i).first().fill('ada');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.sign-in-form').waitFor({ state: 'detached' });
    await page.goto(`${shared.url}/settings/people`);
    await page.getByRole('button', { name: 'Actions for ben' }).click();
    await page.getByRole('menuitem', { name: 'Show tokens' }).click();
    await page.locator('.token-list').waitFor();
    await page.waitForTimeout(500);
    await page.screenshot({ path: fileOf(`people-${look.name}`) });
    await page.goto(`${shared.url}/settings/access`);
    await page.locator('.token-list').waitFor();
    await page.screenshot({ path: fileOf(`tokens-${look.name}`) });
  } finally {
    await shared.close();
  }
}

/** The page of recorded work, with sessions of three programs in two folders. */
async function recordedWork(look: (typeof looks)[number]): Promise<void> {
  const task = {
    prompt: 'Find every caller of postInvoice',
    description: 'Find every caller',
    subagent_type: 'Explore',
  };
  const service = await openRawServer((request, response, number) => {
    const spawns = number === 0 ? { calls: [{ id: 'call_1', name: 'Agent', parameters: task }] } : {};
    const wire = request.path.endsWith('/messages') ? 'anthropic' : 'openai';
    response.writeHead(number === 5 ? 429 : 200, { 'content-type': 'application/json' });
    const usage = { input_tokens: 41_000 + number * 1_700, output_tokens: 600 };
    const counts = wire === 'anthropic' ? usage : { prompt_tokens: usage.input_tokens, completion_tokens: 600 };
    response.end(JSON.stringify({ ...encodeReply(wire, { text: 'I will look.', ...spawns }), usage: counts }));
  });
  const config = `[proxy]\nopenai = "${service.url}/v1"\nanthropic = "${service.url}"\n`;
  const recorded = await openPageFixture({ config });
  const say = async (
    path: string,
    words: string,
    folder: string,
    model: string,
    headers: Readonly<Record<string, string>>,
  ) => {
    const system = `You help.\nWorking directory: ${folder}\n`;
    const isAnthropic = path === 'messages';
    const messages = [...(isAnthropic ? [] : [{ role: 'system', content: system }]), { role: 'user', content: words }];
    const tools = isAnthropic ? [{ name: 'Agent' }] : [{ type: 'function', function: { name: 'shell' } }];
    const project = folder.split('/').at(-1);
    const answer = await fetch(`${recorded.url}/p/${project}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-coppice-token': recorded.server.token, ...headers },
      body: JSON.stringify({ model, messages, tools, max_tokens: 9, ...(isAnthropic ? { system } : {}) }),
    });
    await answer.text();
  };
  try {
    const claude = { 'x-claude-code-session-id': 's1', 'user-agent': 'claude-cli/2.1' };
    const [shop, infra] = ['/srv/shop-backend', '/srv/infra'];
    const opus = 'claude-opus-4-5';
    await say('messages', 'Move invoices to the new ledger', shop, opus, claude);
    await say('messages', task.prompt, shop, 'claude-haiku-4-5', { ...claude, 'x-claude-code-agent-id': 'a1' });
    const codex = { 'user-agent': 'codex_exec/0.50' };
    await say('chat/completions', 'Fix the flaky checkout test', shop, 'gpt-5', { ...codex, 'session-id': 's2' });
    await say('chat/completions', 'Changelog for 4.2', shop, 'gpt-5', { 'user-agent': 'pi/0.9', 'session-id': 's3' });
    await say('messages', 'Rotate the staging certificates', infra, opus, {
      ...claude,
      'x-claude-code-session-id': 's4',
    });
    await say('chat/completions', 'Terraform plan review', infra, 'gpt-5', { ...codex, 'session-id': 's5' });
    const { page } = await recorded.open('/agents', {
      viewport: look.viewport,
      colorScheme: look.colorScheme,
      userAgent: mac,
    });
    await page
      .getByRole('button', { name: /^Show what belongs to/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^Show what belongs to Move/ }).click();
    await page.waitForTimeout(700);
    await page.screenshot({ path: fileOf(`agents-${look.name}`) });
  } finally {
    await recorded.close();
    await service.close();
  }
}

const words = process.argv.slice(2);
const wanted = words.filter((word) => !word.startsWith('--'));
const only = looks.filter((look) => words.includes(`--${look.name}`));

for (const folder of ['docs/screenshots', '.tmp/screenshots']) mkdirSync(join(repository, folder), { recursive: true });
const fixture = await openPageFixture({ replies: [makeTextEvents('Hello there.')] });
try {
  await createSampleChats(fixture.server);
  const demo = await createDemoTree(fixture.server);
  for (const look of only.length === 0 ? looks : only) {
    const isPhone = look.viewport.width < 720;
    const { context, page: first } = await fixture.open('/', {
      viewport: look.viewport,
      colorScheme: look.colorScheme,
      hasTouch: isPhone,
      userAgent: mac,
    });
    await first.close();
    for (const shot of shots) {
      if (wanted.length > 0 && !wanted.includes(shot.name)) continue;
      if (shot.desktop === true && isPhone) continue;
      if (shot.touch === true && !isPhone) continue;
      const { page, faults } = await fixture.open(shot.path(demo), { context });
      try {
        await page.locator(shot.ready).first().waitFor();
        await shot.act?.(page, fixture, demo, isPhone);
        await page.waitForTimeout(700);
      } catch (thrown) {
        console.error(`${shot.name} (${look.name}): ${thrown instanceof Error ? thrown.message : String(thrown)}`);
        process.exitCode = 1;
      }
      if (faults.length > 0) {
        console.error(`${shot.name} (${look.name}): ${faults.join('; ')}`);
        process.exitCode = 1;
      }
      await page.screenshot({ path: fileOf(`${shot.name}-${look.name}`) });
      await page.close();
    }
    await context.close();
    if (wanted.length === 0 || wanted.includes('welcome')) await welcome(look);
    if (wanted.length === 0 || wanted.includes('people')) await people(look);
    if (wanted.length === 0 || wanted.includes('agents')) await recordedWork(look);
  }
} finally {
  await fixture.close();
}
