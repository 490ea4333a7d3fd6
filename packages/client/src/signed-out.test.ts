import { expect, test } from 'vitest';
import { createClient } from './client.ts';
import { HttpProblem } from './http.ts';
import { WriteQueue } from './write-queue.ts';

test('[CL30] a write that needs a sign-in waits, keeps its order, and is sent afterwards', async () => {
  const sent: string[] = [];
  const refused: string[] = [];
  let isSignedIn = false;
  const waiting = new Set<WriteQueue>();
  const queue = new WriteQueue(waiting, () => undefined);
  const job = (name: string) => ({
    async run() {
      if (!isSignedIn) throw new HttpProblem('http/unauthorized', 'Sign in.', 401);
      sent.push(name);
    },
    refused: () => void refused.push(name),
  });
  queue.push(job('first'));
  queue.push(job('second'));
  await expect.poll(() => waiting.size).toBe(1);
  isSignedIn = true;
  await queue.work();
  expect([sent, refused, waiting.size]).toEqual([['first', 'second'], [], 0]);
});

test('[CL30] each response without a sign-in is reported', async () => {
  let reported = 0;
  const body = JSON.stringify({ error: { code: 'http/unauthorized', kind: 'refused', message: 'Sign in.' } });
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    fetch: async () => new Response(body, { status: 401, headers: { 'content-type': 'application/json' } }),
    onSignedOut: () => void reported++,
  });
  await expect(client.api.trees()).rejects.toMatchObject({ status: 401 });
  expect(reported).toBe(1);
});
