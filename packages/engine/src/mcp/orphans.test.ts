// @module-tag full
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newId } from '../new-id.ts';
import {
  findProcesses,
  makeMcpClient,
  makeMcpConfig,
  misbehavingServerCommand,
  referenceServerCommand,
  serverStateOf,
  waitForServerStatus,
} from '../testing/mcp.ts';
import { waitUntil } from '../testing/turn-fixture.ts';

const holder = fileURLToPath(new URL('../../test/mcp-holder.ts', import.meta.url));

/**
 * Two servers with `mark` in their command lines: one exits on request, the other ignores the request and has a child.
 */
function servers(mark: string) {
  return {
    everything: [...referenceServerCommand('everything', 'stdio'), mark],
    stubborn: misbehavingServerCommand('stubborn', mark),
  };
}

test.each([
  ['is killed without warning', 'wait', 'SIGKILL'],
  ['ends without closing', 'exit', null],
  ['closes', 'close', null],
] as const)('[M19] no process is left when the one that started servers %s', async (_, ending, signal) => {
  const mark = `mark-${newId()}`;
  const args = ['--import', 'tsx', holder, JSON.stringify(servers(mark)), ending];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toBe('ready,ready\n');
  // The processes are the holder, both servers and the grandchild.
  if (signal !== null) {
    expect(findProcesses(mark).length).toBeGreaterThanOrEqual(4);
    child.kill(signal);
  }
  await exited;
  await waitUntil(() => findProcesses(mark).length === 0);
});

test('[M19] closing, restarting and a dying leader end the whole process group, even if it ignores signals', async () => {
  const mark = `mark-${newId()}`;
  const client = makeMcpClient(makeMcpConfig({ stubborn: misbehavingServerCommand('stubborn', mark) }), {
    limits: { graceMs: 50 },
  });
  await client.start();
  const grandchildren = () => findProcesses(`grandchild-${mark}`);
  await waitUntil(() => grandchildren().length === 1);
  const [first = ''] = grandchildren();
  await client.restart('stubborn');
  await waitUntil(() => grandchildren().length === 1 && grandchildren()[0] !== first);
  const leader = findProcesses(mark).find((line) => line.includes('odd-server'));
  process.kill(Number.parseInt(leader ?? '', 10), 'SIGKILL');
  await waitUntil(() => serverStateOf(client, 'stubborn').status !== 'ready');
  await waitForServerStatus(client, 'stubborn', 'ready');
  await waitUntil(() => grandchildren().length === 1);
  await client.close();
  expect(findProcesses(mark)).toEqual([]);
});
