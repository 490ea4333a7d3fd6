import { openTestServer } from '@coppice/server/testing';
import { builtPage, openBrowser } from './browser.ts';

const server = await openTestServer({ store: 'sqlite', web: builtPage });
const { url, signInUrl } = await server.listen();
console.log(url, signInUrl);
const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
page.on('console', (m) => console.log('console', m.type(), m.text().slice(0, 300)));
page.on('pageerror', (e) => console.log('pageerror', e.message, e.stack?.slice(0, 600)));
page.on('requestfailed', (r) => console.log('failed', r.url(), r.failure()?.errorText));
page.on('response', (r) => {
  if (r.status() >= 400) console.log(r.status(), r.request().method(), r.url());
});
await page.goto(signInUrl);
await page.waitForTimeout(800);
console.log(
  await page.evaluate(async () => {
    await document.fonts.ready;
    return JSON.stringify([...document.fonts].map((f) => f.family + f.status + f.weight).slice(0, 12));
  }),
);
await page.screenshot({ path: '/tmp/shot-home.png' });
await page.click('text=See an example');
await page.waitForTimeout(1500);
await page.screenshot({ path: '/tmp/shot-tree.png' });
await browser.close();
await server.close();
