// @module-tag full
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newId } from '../new-id.ts';
import { mcpClient, mcpConfig, oddServer, processesWith, reaches, referenceServer, stateOf } from '../testing/mcp.ts';
import { until } from '../testing/turn-fixture.ts';

const holder = fileURLToPath(new URL('../../test/mcp-holder.ts', import.meta.url));

/** Two servers with a marker in their command lines: one exits on request, one does not and has a child. */
function servers(mark: string) {
  return {
    everything: [...referenceServer('everything', 'stdio'), mark],
    stubborn: oddServer('stubborn', mark),
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
  // The holder, both servers and the grandchild.
  if (signal !== null) {
    expect(processesWith(mark).length).toBeGreaterThanOrEqual(4);
    child.kill(signal);
  }
  await exited;
  await until(() => processesWith(mark).length === 0);
});

test('[M19] closing, restarting and a dying leader end the whole process group, even if it ignores signals', async () => {
  const mark = `mark-${newId()}`;
  const client = mcpClient(mcpConfig({ stubborn: oddServer('stubborn', mark) }), { limits: { graceMs: 50 } });
  await client.start();
  const grandchildren = () => processesWith(`grandchild-${mark}`);
  await until(() => grandchildren().length === 1);
  const [first = ''] = grandchildren();
  await client.restart('stubborn');
  await until(() => grandchildren().length === 1 && grandchildren()[0] !== first);
  const leader = processesWith(mark).find((line) => line.includes('odd-server'));
  process.kill(Number.parseInt(leader ?? '', 10), 'SIGKILL');
  await until(() => stateOf(client, 'stubborn').status !== 'ready');
  await reaches(client, 'stubborn', 'ready');
  await until(() => grandchildren().length === 1);
  await client.close();
  expect(processesWith(mark)).toEqual([]);
});
