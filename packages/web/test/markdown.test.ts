// @module-tag browser
// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEventually, openPageFixture, type PageFixture, type PageTab } from './page-fixture.ts';

let fixture: PageFixture;
beforeAll(async () => {
  fixture = await openPageFixture();
});
afterAll(() => fixture.close());

async function openWith(content: string): Promise<PageTab> {
  const messages = [
    { role: 'user', content: 'Show it' },
    { role: 'assistant', content },
  ];
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Markdown', messages } });
  return fixture.open(`/t/${body.treeId}`);
}

async function done(tab: PageTab): Promise<void> {
  expect(tab.faults).toEqual([]);
  await tab.context.close();
}

test('[B1] a formula is rendered as MathML; an unreadable or unsafe one is shown as written', async () => {
  const tab = await openWith(
    [
      'Euler: $e^{i\\pi} + 1 = 0$ and',
      '$$\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}$$',
      'Broken: $\\frac{a$ and $\\nosuchcommand{x}$.',
      'Hostile: $\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://other.example/x.png}$ $\\class{evil}{y}$',
    ].join('\n\n'),
  );
  const thread = tab.page.getByTestId('thread');
  await expectEventually(() => thread.locator('math').count()).toBeGreaterThanOrEqual(2);
  await expectEventually(() => thread.locator('math mfrac').count()).toBe(1);
  await thread.getByText('\\nosuchcommand', { exact: true }).waitFor();
  await thread.getByText('\\frac{a', { exact: true }).waitFor();
  expect(await thread.locator('math a, math img, math [href], math .evil, math script').count()).toBe(0);
  await done(tab);
});

test('[B5] code is highlighted once the languages are loaded, and copied completely', async () => {
  const tab = await openWith('```ts\nconst answer = "42"; // sure\n```');
  const code = tab.page.getByTestId('thread').locator('.code');
  await expectEventually(() => code.locator('.hl-keyword').count()).toBe(1);
  await expectEventually(() => code.locator('pre').textContent()).toBe('const answer = "42"; // sure');
  await done(tab);
});

test('[B5] code can be scrolled by keyboard exactly while it is wider than its box', async () => {
  const tab = await openWith('```ts\nconst answer = 42;\n```');
  const block = tab.page.getByTestId('thread').locator('.code pre');
  await expectEventually(() => block.locator('.hl-keyword').count()).toBe(1);
  expect(await block.getAttribute('tabindex')).toBe(null);
  // The box keeps its size; only its content grows, for example by highlighting or by a font that is loaded late.
  const write = (text: string) =>
    block.locator('.hl-keyword').evaluate((word: { textContent: string }, given: string) => {
      word.textContent = given;
    }, text);
  await write('x'.repeat(5_000));
  await expectEventually(() => block.getAttribute('tabindex')).toBe('0');
  await write('const');
  await expectEventually(() => block.getAttribute('tabindex')).toBe(null);
  await done(tab);
});

test('[B115, B328] a diagram is drawn as a picture by a frame without an origin; one that cannot be drawn stays code', async () => {
  const tab = await openWith(
    '```mermaid\ngraph LR\n  A[Send] -->|yes| B{Done?}\n```\n\n```mermaid\nno such thing at all\n```',
  );
  const thread = tab.page.getByTestId('thread');
  const picture = thread.getByRole('img', { name: /^Diagram of: graph LR/ });
  await picture.waitFor();
  await expectEventually(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0)).toBe(
    true,
  );
  // A small diagram is not stretched to the column.
  const { width } = (await picture.boundingBox()) ?? expect.fail();
  expect(width).toBe(Number(await picture.getAttribute('width')));
  // The label of a line covers the line.
  const drawing = (await picture.getAttribute('src')) ?? '';
  expect(decodeURIComponent(drawing)).toMatch(/\.edgeLabel rect\s*\{\s*opacity:\s*1/);
  await thread.getByText(/could not be drawn/).waitFor();
  await thread.locator('.code pre').getByText('no such thing at all').waitFor();
  expect(await tab.page.locator('.diagram-frame').getAttribute('sandbox')).toBe('allow-scripts');
  expect(await thread.locator('svg script, iframe').count()).toBe(0);
  await done(tab);
});

test('[B116] a page written by a model runs beside the thread without an origin and without a network, and follows the versions', async () => {
  const pageOf = (word: string) =>
    [
      '```html',
      `<!doctype html><title>Counter</title><h1 id="a">${word}</h1><p id="b"></p>`,
      '<script>',
      'let cookie = "none"; try { cookie = document.cookie } catch { cookie = "refused" }',
      'let around = "none"; try { around = parent.document.title } catch { around = "refused" }',
      'document.getElementById("b").textContent = origin + " " + cookie + " " + around;',
      '</script>',
      '```',
    ].join('\n');
  const tab = await openWith(pageOf('First'));
  await tab.page.getByTestId('thread').getByRole('button', { name: 'Preview' }).click();
  const pane = tab.page.getByRole('complementary', { name: 'Preview' });
  const frame = pane.frameLocator('iframe');
  await frame.getByText('First', { exact: true }).waitFor();
  await expectEventually(() => frame.locator('#b').textContent()).toBe('null refused refused');
  expect(await pane.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
  const tree = /\/t\/([0-9a-f-]+)/.exec(tab.page.url())?.[1];
  const { body } = await fixture.server.ask('GET', `/api/trees/${tree}`);
  await fixture.server.ask('POST', `/api/trees/${tree}/nodes/${body.activeNodeId}/edit`, {
    version: body.version,
    body: { content: pageOf('Second') },
  });
  await pane.getByRole('button', { name: 'Next version' }).click();
  await frame.getByText('Second', { exact: true }).waitFor();
  await pane.getByRole('button', { name: 'Code', exact: true }).click();
  await pane.locator('pre').getByText('Counter').waitFor();
  await tab.page.keyboard.press('Escape');
  await expectEventually(() => pane.count()).toBe(0);
  await done(tab);
});

test('[B326] beside a preview the buttons of the composer keep their size, and preset and options show their icons', async () => {
  const tab = await openWith('```html\n<h1>Narrow</h1>\n```');
  await tab.page.setViewportSize({ width: 1280, height: 800 });
  const composer = tab.page.locator('.composer');
  const widthOf = async (name: RegExp) => (await composer.getByRole('button', { name }).boundingBox())?.width ?? 0;
  await composer.getByText('Options', { exact: true }).waitFor();
  const [send, attach] = [await widthOf(/^Send/), await widthOf(/^Attach/)];
  await tab.page.getByTestId('thread').getByRole('button', { name: 'Preview' }).click();
  await composer.getByText('Options', { exact: true }).waitFor({ state: 'hidden' });
  expect([await widthOf(/^Send/), await widthOf(/^Attach/)]).toEqual([send, attach]);
  expect(await widthOf(/^Options/)).toBeGreaterThan(24);
  await done(tab);
});

test('[B116] a page in the preview cannot call another host or navigate', async () => {
  const tab = await openWith(
    [
      '```html',
      '<!doctype html><h1>Hostile</h1><p id="out">begun</p><img src="https://other.example/x.png">',
      '<script>',
      'fetch("https://other.example/").catch(() => { document.getElementById("out").textContent = "blocked"; });',
      '</script>',
      '```',
    ].join('\n'),
  );
  const outcomes: (string | undefined)[] = [];
  const isElsewhere = (address: string) => address.includes('other.example');
  tab.page.on('requestfinished', (request) => {
    if (isElsewhere(request.url())) outcomes.push('finished');
  });
  tab.page.on('requestfailed', (request) => {
    if (isElsewhere(request.url())) outcomes.push(request.failure()?.errorText);
  });
  await tab.page.getByTestId('thread').getByRole('button', { name: 'Preview' }).click();
  const frame = tab.page.frameLocator('.preview-pane iframe');
  await frame.getByText('blocked').waitFor();
  // The error "csp" means that the policy blocked the request before it was sent.
  await expectEventually(() => outcomes).toContain('csp');
  expect(new Set(outcomes)).toEqual(new Set(['csp']));
  await tab.context.close();
});

test('[B108] the beginning of a megabyte of a table is shown, and all of it on demand without blocking the page', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `| row ${at} | ${'x'.repeat(36)} |`);
  const tab = await openWith(`| a | b |\n|---|---|\n${rows.join('\n')}\n`);
  const thread = tab.page.getByTestId('thread');
  await thread.getByText('row 0', { exact: true }).waitFor();
  const elements = () =>
    thread.evaluate((box: { querySelectorAll(what: string): { length: number } }) => box.querySelectorAll('*').length);
  expect(await elements()).toBeLessThan(7_000);
  await thread.getByRole('button', { name: /^Show the other/ }).click();
  await expectEventually(() => thread.getByText('row 19999', { exact: true }).count()).toBe(1);
  await done(tab);
});

test('[B333, B112] line breaks are shown as written, the indentation of a user too, and numbered formulas count up', async () => {
  const messages = [
    { role: 'user', content: 'one\ntwo\n   three' },
    { role: 'assistant', content: 'Roses are red\nViolets are blue\n\n- an item\n  goes on\n- next' },
    { role: 'user', content: 'And formulas?' },
    { role: 'assistant', content: '\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}' },
  ];
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Lines', messages } });
  const tab = await fixture.open(`/t/${body.treeId}`);
  const articles = tab.page.getByTestId('thread').locator('article');
  await articles.nth(3).locator('math').first().waitFor();
  expect(await articles.nth(0).locator('.body').innerText()).toBe('one\ntwo\n   three');
  expect(await articles.nth(1).locator('.body p').innerText()).toBe('Roses are red\nViolets are blue');
  expect(await articles.nth(1).locator('.body li').first().innerText()).toBe('an item\ngoes on');
  // A page cannot read the value of a CSS counter, so this checks that formulas increment it and messages reset it.
  const counter = "getComputedStyle(document.querySelector('.tml-eqn'), '::before').counterIncrement";
  await expectEventually(() => tab.page.evaluate(counter)).toBe('tmlEqnNo 1');
  expect(await tab.page.evaluate("getComputedStyle(document.querySelector('.body:has(.tml-eqn)')).counterReset")).toBe(
    'tmlEqnNo 0',
  );
  await done(tab);
});
