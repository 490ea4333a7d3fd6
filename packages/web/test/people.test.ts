// @module-tag browser
// @module-tag full
/** The page of an admin on a server with users: people, roles, tokens, limits and use. */
import { addTestUsers } from '@coppice/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeriousViolations } from './axe.ts';
import { expectEventually, openPageFixture, type PageFixture } from './page-fixture.ts';

let fixture: PageFixture;
beforeAll(async () => {
  fixture = await openPageFixture({ auth: { mode: 'users' } });
  await addTestUsers(fixture.server.store);
});
afterAll(() => fixture.close());

/** Opens the settings, signed in as one of the users by the page's own form. */
async function openAs(user: string, path: string) {
  const { page, context } = await fixture.open(path);
  await page.getByLabel(/token/i).first().fill(user);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectEventually(() => page.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
  await page.goto(fixture.url + path);
  return { page, context };
}

test('[B260] an admin adds a person, changes a role, disables an account and revokes a token', async () => {
  const { page, context } = await openAs('ada', '/settings/people');
  const people = page.getByRole('list', { name: 'People' });
  await people.getByText('ada (you)').waitFor();
  await page.getByRole('button', { name: 'Add person' }).click();
  await page.getByLabel('Name').fill('Dora');
  await page.getByLabel('Role', { exact: true }).selectOption('viewer');
  expect(await findSeriousViolations({ page })).toEqual([]);
  await page.getByRole('button', { name: 'Add person' }).click();
  const secret = await page.getByRole('textbox', { name: 'New token' }).inputValue();
  expect((await fixture.server.ask('GET', '/api/me', { token: secret })).body).toMatchObject({ role: 'viewer' });
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await page.content()).not.toContain(secret);

  await people.getByLabel('Role of ben').selectOption('viewer');
  await expectEventually(async () => (await fixture.server.ask('GET', '/api/me', { token: 'ben' })).body.role).toBe(
    'viewer',
  );
  const row = people.getByRole('listitem').filter({ hasText: 'cleo' });
  await row.getByRole('button', { name: 'Actions for cleo' }).click();
  await page.getByRole('menuitem', { name: 'Show tokens' }).click();
  await row.getByRole('button', { name: 'Revoke test' }).click();
  await row.getByText('No active tokens.').waitFor();
  expect((await fixture.server.ask('GET', '/api/me', { token: 'cleo' })).status).toBe(401);
  await people.getByRole('button', { name: 'Actions for vic' }).click();
  await page.getByRole('menuitem', { name: 'Disable account' }).click();
  await people.getByText('Disabled').waitFor();
  expect((await fixture.server.ask('GET', '/api/me', { token: 'vic' })).status).toBe(401);
  expect(await findSeriousViolations({ page })).toEqual([]);

  await people.getByRole('button', { name: 'Actions for ben' }).click();
  await page.getByRole('menuitem', { name: 'Set limits' }).click();
  const own = page.getByRole('region', { name: 'Limits of ben' });
  await own.getByLabel('Daily budget (US dollars)').fill('1.5');
  expect(await findSeriousViolations({ page })).toEqual([]);
  await own.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The limits were saved.').waitFor();
  const ofBen = await fixture.server.ask('GET', '/api/users/ben/limits', { token: 'ada' });
  expect(ofBen.body.inForce.dayUsd).toBe(1.5);
  await people.getByRole('button', { name: 'Actions for ben' }).click();
  await page.getByRole('menuitem', { name: 'Hide limits' }).click();
  await expectEventually(() => own.count()).toBe(0);
  await page.getByLabel('Replies at once').fill('2');
  await page.getByRole('button', { name: 'Save' }).click();
  // The notice about the saved limits of ben may still be visible, so this asks the server.
  await expectEventually(async () => {
    const { body } = await fixture.server.ask('GET', '/api/settings/limits', { token: 'ada' });
    return body.inForce.generations;
  }).toBe(2);
  await context.close();
});

test('[B261] a member creates and revokes own tokens, and does not see other people', async () => {
  await fixture.server.store.accounts.putUser({
    id: 'ben',
    name: 'ben',
    role: 'member',
    createdAt: 1,
    disabledAt: null,
  });
  const { page, context } = await openAs('ben', '/settings/access');
  await page.getByText('Signed in as ben').waitFor();
  expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
  await page.getByLabel('Name').fill('Phone');
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = await page.getByRole('textbox', { name: 'New token' }).inputValue();
  expect((await fixture.server.ask('GET', '/api/me', { token: secret })).status).toBe(200);
  expect(await findSeriousViolations({ page })).toEqual([]);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Revoke Phone' }).click();
  await expectEventually(async () => (await fixture.server.ask('GET', '/api/me', { token: secret })).status).toBe(401);
  await page.goto(`${fixture.url}/settings/people`);
  await page.getByText('Only admins of a server with users see this page.').waitFor();
  await context.close();
});
