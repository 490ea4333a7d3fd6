import { AppError, type Store } from '@coppice/core';
import { encodeReply } from '@coppice/engine/testing';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { openProxyFixture, operatorApiKey, type ProxyFixture } from '../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const answer = JSON.stringify(encodeReply('openai', { text: 'Yes.' }));
const body = { model: 'm', messages: [{ role: 'user', content: 'Hi there, canary' }] };

/** Opens a server whose store calls `change` before each change until it is repaired; `change` may fail or wait. */
async function withStore(change: (mended: Promise<void>) => Promise<void>) {
  const store = await openStore('memory:');
  let mend: () => void = () => undefined;
  let isMended = false;
  const mended = new Promise<void>((resolve) => {
    mend = () => {
      isMended = true;
      resolve();
    };
  });
  const broken: Store = new Proxy(store, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      if (name !== 'change') return value.bind(target);
      return async (...words: unknown[]) => {
        if (!isMended) await change(mended);
        return value.apply(target, words);
      };
    },
  });
  const lines: string[] = [];
  const log = createLog({ to: { write: (line) => void lines.push(line) } });
  open = await openProxyFixture(
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(answer);
    },
    { store: broken, log },
  );
  const health = async () => {
    const reported: { readonly recorder: { readonly health: string } } = JSON.parse(
      await (await fetch(`${open?.url}/healthz`)).text(),
    );
    return reported.recorder;
  };
  return { ...open, store, lines, health, mend: () => mend() };
}

describe('a failing store', () => {
  it('[RP4, RP15] with a full disk no call fails, the problem is reported at once, and waiting calls are written when there is space', async () => {
    const { post, health, lines, mend, recorder, listening, server } = await withStore(() =>
      Promise.reject(new AppError({ code: 'store/full', kind: 'unavailable', message: 'The disk is full.' })),
    );
    for (const _ of [1, 2, 3]) expect(await (await post('/v1/chat/completions', body)).text()).toBe(answer);
    await expect.poll(async () => (await health()).health).toBe('failing');
    expect(await health()).toMatchObject({ waiting: 3, dropped: 0, failed: 0 });
    expect(lines.filter((line) => line.includes('a call was not recorded') && line.includes('store/full'))).not.toEqual(
      [],
    );
    const reported = await fetch(`${listening.url}/api/proxy`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(await reported.json()).toMatchObject({ health: 'failing', lastError: 'The disk is full.', waiting: 3 });
    const figures = await fetch(`${listening.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } });
    expect(await figures.text()).toContain('coppice_recorder_waiting 3');
    mend();
    await expect.poll(() => recorder.state.recorded).toBe(3);
    expect(await health()).toMatchObject({ health: 'recording', waiting: 0 });
    expect(lines.some((line) => line.includes('calls are recorded again'))).toBe(true);
    // The log must contain neither a key nor a word of the conversation.
    for (const secret of [server.token, operatorApiKey, 'Hi there, canary'])
      expect(lines.join('')).not.toContain(secret);
  });

  it('[RP15] a store that does not respond delays no call', async () => {
    const { post, health, mend, recorder } = await withStore((mended) => mended);
    for (const _ of [1, 2, 3, 4]) expect((await post('/v1/chat/completions', body)).status).toBe(200);
    expect(recorder.state.recorded).toBe(0);
    expect(await health()).toMatchObject({ waiting: 4 });
    mend();
    await recorder.idle();
    expect(await health()).toEqual({
      health: 'recording',
      waiting: 0,
      spilled: 0,
      dropped: 0,
      failed: 0,
      unacknowledged: 0,
    });
  });

  it('[RP15] a store that always refuses fails no call, and each is counted and reported', async () => {
    const { post, health, lines, recorder } = await withStore(() =>
      Promise.reject(new AppError({ code: 'store/damaged', kind: 'internal', message: 'The file is damaged.' })),
    );
    for (const _ of [1, 2]) expect((await post('/v1/chat/completions', body)).status).toBe(200);
    await expect.poll(() => recorder.state.failed).toBe(2);
    expect(await health()).toEqual({
      health: 'failing',
      waiting: 0,
      spilled: 0,
      dropped: 0,
      failed: 2,
      unacknowledged: 2,
    });
    expect(lines.some((line) => line.includes('store/damaged'))).toBe(true);
  });
});
