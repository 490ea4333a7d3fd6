import { runReadmeExample } from '@coppice/core/testing/readme';
import * as engine from '@coppice/engine';
import * as stores from '@coppice/stores';
import { expect, test } from 'vitest';
import * as server from './index.ts';

const packages: Readonly<Record<string, object>> = {
  '@coppice/engine': engine,
  '@coppice/server': server,
  '@coppice/stores': stores,
};

test('[A35] the example in the README prints what its comments say', async () => {
  const claims = await runReadmeExample(import.meta.dirname, packages);
  expect(claims.length).toBe(3);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});

test('[A340] a server without a store, a configuration or a token is refused with what to pass, and a misspelt option with the nearest one', async () => {
  const store = await stores.openStore('memory:');
  const config = engine.parseConfig(null, {});
  const createWith = (options: object) => () => Reflect.apply(server.createServer, undefined, [options]);
  expect(createWith({ config })).toThrow('createServer needs a store');
  expect(createWith({ store })).toThrow('createServer needs a `config` of @coppice/engine');
  for (const auth of [undefined, {}, { mode: 'none' }, { mode: 'token' }, { mode: 'token', token: '' }])
    expect(createWith({ store, config, auth })).toThrow('createServer needs `auth`');
  const valid = { store, config, auth: { mode: 'token', token: 'a-long-random-token' } };
  for (const [options, refusal] of [
    [{ orgins: [] }, 'createServer has no option "orgins". Did you mean "origins"?'],
    [{ port: 4747 }, 'createServer has no option "port"'],
    [{ auth: { ...valid.auth, tokn: 'x' } }, 'The `auth` of a server has no option "tokn". Did you mean "token"?'],
    [{ auth: { mode: 'users', proxies: {} } }, 'no option "proxies". Did you mean "proxy"?'],
    [{ limits: { bodyByte: 1 } }, 'The `limits` of a server has no option "bodyByte". Did you mean "bodyBytes"?'],
    [{ quotas: { stream: 1 } }, 'The `quotas` of a server has no option "stream". Did you mean "streams"?'],
  ] as const)
    expect(createWith({ ...valid, ...options })).toThrow(refusal);
  const serveWith = (options: object) => Reflect.apply(server.serve, undefined, [{ ...valid, ...options }]);
  await expect(serveWith({ prot: 4747 })).rejects.toThrow('serve has no option "prot". Did you mean "port"?');
  await store.close();
});
