import { isAppError } from '@coppice/core';
import { openRawServer } from '@coppice/engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openSharedServer } from '../testing/shared-server.ts';
import { OpenCalls } from './calls-in-progress.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Returns the code with which a call is refused; null if it begins. */
function refusalOfBegin(calls: OpenCalls): string | null {
  try {
    calls.begin();
    return null;
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

describe('a call that begins late in a stop', () => {
  it('[RP43] is refused after the stop, and while aborted calls end', async () => {
    const calls = new OpenCalls();
    const { ending, end } = calls.begin();
    const refused: (string | null)[] = [];
    ending.addEventListener('abort', () => {
      refused.push(refusalOfBegin(calls));
      end();
    });
    await calls.stop(0);
    expect(refused).toEqual(['http/closing']);
    expect(refusalOfBegin(calls)).toBe('http/closing');
  });

  it('[RP43] is awaited while the server still waits for others', async () => {
    const calls = new OpenCalls();
    const first = calls.begin();
    const stopped = calls.stop(60_000);
    const late = calls.begin();
    first.end();
    late.end();
    await stopped;
    expect(late.ending.aborted).toBe(false);
  });

  it('[RP43] never reaches the service if its user was still being looked up', async () => {
    const service = await openRawServer((_seen, back) => void back.end('{}'));
    closers.push(() => service.close());
    const server = await openSharedServer({ config: `[proxy]\nopenai = "${service.url}/v1"\n` });
    closers.push(() => server.close());
    const { accounts } = server.store;
    const find = accounts.tokenByHash.bind(accounts);
    const app = (await server.listen()).server;
    const lookup = new EventTarget();
    const begun = new Promise<void>((resolve) => lookup.addEventListener('begun', () => resolve()));
    const stopped = new Promise<void>((resolve) => lookup.addEventListener('stopped', () => resolve()));
    accounts.tokenByHash = async (hash) => {
      const found = await find(hash);
      lookup.dispatchEvent(new Event('begun'));
      await stopped;
      return found;
    };
    const headers = { authorization: 'Bearer ben' };
    const asked = app.fetch(new Request('http://127.0.0.1/v1/files', { headers }));
    await begun;
    await app.close();
    lookup.dispatchEvent(new Event('stopped'));
    const answer = await asked;
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('http/closing')]);
    expect(service.requests).toEqual([]);
  });
});
