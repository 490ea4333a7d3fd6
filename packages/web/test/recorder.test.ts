// @module-tag browser
// @module-tag full
import { AppError, type Store } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEventually, openPageFixture, type PageFixture } from './page-fixture.ts';

let fixture: PageFixture;
let store: Store;
let broken = false;

beforeAll(async () => {
  store = await openStore('memory:');
  const mayBreak: Store = new Proxy(store, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      if (name !== 'change') return value.bind(target);
      return async (...words: unknown[]) => {
        if (broken) throw new AppError({ code: 'store/damaged', kind: 'internal', message: 'The file is damaged.' });
        return value.apply(target, words);
      };
    },
  });
  fixture = await openPageFixture({ store: mayBreak, config: 'model = "scripted/one"\n' });
});
afterAll(async () => {
  await fixture.close();
  await store.close();
});

async function call(project: string, system: string, question: string): Promise<number> {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  const answer = await fetch(`${fixture.url}/p/${project}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted/one', messages }),
  });
  await answer.text();
  return answer.status;
}

test('[B90] recorded trees appear on the page while they are recorded, grouped by program', async () => {
  const { page, faults } = await fixture.open('/?in=forest');
  await page.getByRole('heading', { name: 'Recorded by proxy' }).waitFor();
  await call('shop', 'You sell.', 'What is there?');
  await page.getByRole('heading', { name: 'shop' }).waitFor();
  await call('shop', 'You name things.', 'Name it.');
  await call('garden', 'You plant.', 'When?');
  await page.getByRole('heading', { name: 'garden' }).waitFor();
  await expectEventually(() => page.locator('h3:text-is("shop") + ul > li').count()).toBe(2);
  await expectEventually(() => page.locator('h3:text-is("garden") + ul > li').count()).toBe(1);
  await expect(page.locator('.recorder-notice').count()).resolves.toBe(0);
  expect(faults).toEqual([]);
});

test('[B91] calls that could not be recorded are shown on the page, with the reason', async () => {
  const { page, faults } = await fixture.open('/?in=forest');
  const notice = page.locator('.recorder-notice');
  broken = true;
  try {
    expect(await call('shop', 'You sell.', 'And now?')).toBe(200);
    await notice.waitFor();
    await expectEventually(() => notice.textContent()).toContain('1 call was not recorded.');
  } finally {
    broken = false;
  }
  await expectEventually(() => notice.textContent()).toContain('The file is damaged.');
  expect(faults).toEqual([]);
});
