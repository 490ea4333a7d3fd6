// @module-tag browser
// @module-tag full
/** Tests that a link in an answer of the guide opens the document that is installed with the page. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePageBuilt, expectEventually, openPageFixture, type PageFixture } from '@coppice/web/testing';
import { builtPageFolder } from '@coppice/web/testing/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workspaceRoot } from './checks/workspace.ts';

let folder = '';
let fixture: PageFixture;

// Puts the packed page together: the build, and the documents beside it.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-guide-'));
  await ensurePageBuilt();
  cpSync(builtPageFolder, folder, { recursive: true });
  const tsx = join(workspaceRoot, 'node_modules/tsx/dist/cli.mjs');
  execFileSync(process.execPath, [tsx, 'site/write-documents.ts', folder], { cwd: workspaceRoot });
  fixture = await openPageFixture({ web: folder, config: 'model = "offline/guide"\n[offline]\ndelay_ms = 0\n' });
});
afterAll(async () => {
  await fixture.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a click on a link of the guide opens the section that it names, from this server alone', async () => {
  const tab = await fixture.open('/');
  const { page, context, faults } = tab;
  // The fixture selects a scripted model in its tabs, but a new user has the guide.
  await context.addInitScript("if (self === top) localStorage.setItem('coppice.chosen-models', 'offline/guide')");
  await page.reload();
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill('How do I set a spending limit?');
  await composer.press('Enter');
  const link = page.getByTestId('thread').getByRole('link', { name: /Models: Budgets/ });
  await link.waitFor();
  const opened = context.waitForEvent('page');
  await link.click();
  const document = await opened;
  await document.waitForLoadState();
  expect(document.url()).toBe(`${fixture.url}/docs/models.html#budgets`);
  // The heading is visible, so the browser has scrolled to the section.
  const top = async () => (await document.getByRole('heading', { name: 'Budgets' }).boundingBox())?.y ?? -100;
  await expectEventually(top).toBeGreaterThan(-1);
  expect(await top()).toBeLessThan(document.viewportSize()?.height ?? 0);
  expect(faults).toEqual([]);
  await context.close();
});
