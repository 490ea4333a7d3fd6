// @module-tag browser
// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest';
import { languageCodes, languages, writingDirection } from '../src/i18n/languages.ts';
import { findSeriousViolations } from './axe.ts';
import { createDemoTree } from './demo-tree.ts';
import { expectEventually, openPageFixture, type PageFixture } from './page-fixture.ts';

let fixture: PageFixture;

beforeAll(async () => {
  fixture = await openPageFixture();
});
afterAll(() => fixture.close());

test('[B281] the page starts in the browser’s language and loads only that', async () => {
  for (const code of languageCodes) {
    const loaded = new Set<string>();
    const context = await fixture.browser.newContext({ locale: code, reducedMotion: 'reduce' });
    context.on('request', (request) => {
      const [, name] = /\/assets\/([\w-]+)-[\w-]{8}\.js$/.exec(request.url()) ?? [];
      if (languageCodes.some((each) => each === name)) loaded.add(String(name));
    });
    const signedIn = await fixture.open('/');
    await context.addCookies(await signedIn.context.cookies());
    await signedIn.context.close();
    const tab = await fixture.open('/', { context });
    await tab.page.getByRole('textbox').first().waitFor();
    await expectEventually(() => tab.page.evaluate('document.documentElement.lang')).toBe(code);
    expect(await tab.page.evaluate('document.documentElement.dir')).toBe(writingDirection(code));
    expect([...loaded]).toEqual(code === 'en' ? [] : [code]);
    expect(tab.faults).toEqual([]);
    await context.close();
  }
});

test('[B281] every language can be chosen in the settings and is remembered', async () => {
  const tab = await fixture.open('/settings/appearance');
  for (const code of [...languageCodes.filter((each) => each !== 'en'), 'en'] as const) {
    const menu = tab.page.locator('select:has(option[lang=de])');
    // The page reloads in the chosen language.
    await Promise.all([tab.page.waitForEvent('load'), menu.selectOption({ label: languages[code] })]);
    await expectEventually(() => tab.page.evaluate('document.documentElement.lang')).toBe(code);
    await tab.page.reload();
    await expectEventually(() => tab.page.evaluate('document.documentElement.lang')).toBe(code);
  }
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});

test('[B282] in Arabic the page runs from right to left, code and the map do not, and axe finds nothing', async () => {
  const demo = await createDemoTree(fixture.server);
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 390, height: 844 },
  ]) {
    const tab = await fixture.open(`/t/${demo.id}`, { locale: 'ar', viewport });
    const { page } = tab;
    const left = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x ?? Number.NaN;
    await page.getByTestId('thread').getByRole('article').first().waitFor();
    // The rail of the branch is at the right of the messages, and the button that sends at the left of the composer.
    await page.locator('.stem-box').first().waitFor();
    expect(await left('.stem-box')).toBeGreaterThan(await left('[data-testid=thread] article'));
    await page.locator('.composer .send').first().waitFor();
    expect(await left('.composer .send')).toBeLessThan(viewport.width / 2);
    await page.locator('[data-testid=thread] pre').first().waitFor();
    expect(await page.evaluate('getComputedStyle(document.querySelector("[data-testid=thread] pre")).direction')).toBe(
      'ltr',
    );
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await findSeriousViolations(tab)).toEqual([]);
    await page.goto(`${fixture.url}/t/${demo.id}?view=map`);
    await page.locator('.minimap canvas').waitFor();
    expect(await left('.minimap')).toBeLessThan(viewport.width / 2);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await findSeriousViolations(tab)).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.context.close();
  }
});
