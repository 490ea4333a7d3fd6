// @module-tag browser
// @module-tag full
import { expect, test } from 'vitest';
import { measureColdLoad } from './cold-load.ts';
import { openPageFixture } from './page-fixture.ts';

test('[B300] a chat that is opened for the first time transfers at most 280 kB before its first message, 400 kB in all', async () => {
  const fixture = await openPageFixture();
  const messages = [
    { role: 'user', content: 'How do I bake bread?' },
    { role: 'assistant', content: 'Use **flour**, water and salt.\n\n1. Mix\n2. Rest\n3. Bake' },
  ];
  const { body } = await fixture.server.ask('POST', '/api/trees', { body: { title: 'Bread', messages } });
  const load = await measureColdLoad(fixture.browser, {
    signInUrl: `${fixture.url}/?token=${fixture.server.token}`,
    url: `${fixture.url}/t/${body.treeId}`,
  });
  expect(load.bytesToFirstMessage).toBeLessThan(280_000);
  expect(load.bytesInAll).toBeLessThan(400_000);
  // On a slow connection, a request for each module would cost more than its bytes.
  expect(load.files.filter((file) => file.isBefore && file.path.startsWith('/assets/')).length).toBeLessThan(8);
  await fixture.close();
});
