import { openTestServer } from '@coppice/server/testing';
import { builtPage, openBrowser } from './browser.ts';

const server = await openTestServer({ store: 'memory:', web: builtPage });
const { signInUrl, url } = await server.listen();
const b = await openBrowser();
const page = await b.newPage();
page.on('response', (r) => {
  if (r.url().includes('woff2')) console.log(r.status(), r.url(), JSON.stringify(r.headers()));
});
page.on('requestfailed', (r) => console.log('failed', r.url(), r.failure()?.errorText));
await page.goto(signInUrl);
await page.waitForTimeout(700);
console.log(
  await page.evaluate(async () => {
    const f = [...document.fonts].filter((x) => x.status === 'error')[0];
    try {
      await f?.load();
    } catch (e) {
      return String(e);
    }
    return 'ok';
  }),
);
console.log(
  await page.evaluate(async () => {
    const r = performance
      .getEntriesByType('resource')
      .map((e) => e.name)
      .filter((n) => n.includes('woff'));
    const out = [];
    for (const u of r) {
      const x = await fetch(u);
      const a = await x.arrayBuffer();
      out.push(u.slice(-40) + ' ' + x.status + ' ' + a.byteLength);
    }
    return out.join('\n');
  }),
);
await b.close();
await server.close();
console.log(url);
