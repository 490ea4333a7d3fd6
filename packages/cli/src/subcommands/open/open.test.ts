import { openTestServer } from '@coppice/server/testing';
import { expect, it } from 'vitest';
import { makeCliFixture } from '../../testing/index.ts';

it('[O108] prints the address of a chat or message on the page', async () => {
  const server = await openTestServer();
  const { url } = await server.listen();
  const fixture = makeCliFixture({ env: { COPPICE_SERVER: url, COPPICE_TOKEN: server.token } });
  const { tree, nodes } = await fixture.createChat('Oaks?', 'Old.');
  expect(await fixture.json(['open'])).toEqual({ url: `${url}/`, opened: false });
  expect(await fixture.json(['open', 'last'])).toMatchObject({ url: `${url}/t/${tree}` });
  expect(await fixture.run(['open', 'last', '@~1'])).toMatchObject({ out: `${url}/t/${tree}/${nodes[0]}\n` });
  expect(await fixture.run(['open', 'nothing'])).toMatchObject({ code: 3 });
  fixture.close();
  await server.close();
});
