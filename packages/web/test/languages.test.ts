// @module-tag browser
// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest';
import { languageCodes, languages, writingDirection } from '../src/i18n/languages.ts';
import { openPageFixture, type PageFixture, soon } from './page-fixture.ts';

let fixture: PageFixture;

beforeAll(async () => {
  fixture = await openPageFixture();
});
afterAll(() => fixture.close());

test('[B281] the page begins in the browser’s language and loads only that', async () => {
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
    await soon(() => tab.page.evaluate('document.documentElement.lang')).toBe(code);
    expect(await tab.page.evaluate('document.documentElement.dir')).toBe(writingDirection(code));
    expect([...loaded]).toEqual(code === 'en' ? [] : [code]);
    expect(tab.faults).toEqual([]);
    await context.close();
  }
});

test('[B281] every language can be chosen in the settings and is kept', async () => {
  const tab = await fixture.open('/settings/appearance');
  for (const code of [...languageCodes.filter((each) => each !== 'en'), 'en'] as const) {
    await tab.page.locator('select:has(option[lang=de])').selectOption({ label: languages[code] });
    await soon(() => tab.page.evaluate('document.documentElement.lang')).toBe(code);
    await tab.page.reload();
    await soon(() => tab.page.evaluate('document.documentElement.lang')).toBe(code);
  }
  expect(tab.faults).toEqual([]);
  await tab.context.close();
});
