import { openTestServer } from '@coppice/server/testing';
import { expect, it } from 'vitest';
import { makeCliFixture } from '../../testing/index.ts';

it('[O109] creates a link that shows the branch as it is, lists links, and removes them', async () => {
  const server = await openTestServer();
  const { url } = await server.listen();
  const fixture = makeCliFixture({ env: { COPPICE_SERVER: url, COPPICE_TOKEN: server.token } });
  await fixture.createChat('Oaks?', 'Old.');
  expect(await fixture.run(['share', 'last', '--list'])).toMatchObject({ out: expect.stringContaining('no links') });
  expect(await fixture.run(['share', 'last', '--show', 'everything'])).toMatchObject({ code: 2 });
  const made = await fixture.json(['share', 'last', '--days', '7', '--show', 'models', '--title', 'On oaks']);
  await fixture.run(['append', 'last', 'Later.']);
  const page = await fetch(String(made['url']).replace('/s/', '/api/shared/'));
  const shared = await page.text();
  expect(shared).toContain('On oaks');
  expect(shared).toContain('Old.');
  expect(shared).not.toContain('Later.');
  const listed = await fixture.run(['share', 'last', '--list']);
  expect(listed.out).toMatch(/^[0-9a-f]{8} {2}.* ends .* 2 messages, models\n$/);
  expect(await fixture.run(['share', 'last', '--remove', 'ffff'])).toMatchObject({ code: 3 });
  expect(await fixture.run(['share', 'last', '--remove', listed.out.slice(0, 8)])).toMatchObject({ code: 0 });
  expect((await fetch(String(made['url']).replace('/s/', '/api/shared/'))).status).toBe(404);
  fixture.close();
  await server.close();
});
