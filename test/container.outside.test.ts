/** Builds the image and runs it with the Compose files. Needs Docker and its registry. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workspaceRoot } from './checks/workspace.ts';

const image = `coppice-test:${process.pid}`;
const name = `coppice-test-${process.pid}`;

function docker(...words: readonly string[]): string {
  return execFileSync('docker', words, {
    cwd: workspaceRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

beforeAll(() => {
  docker('build', '--tag', image, '.');
  const limits = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true'];
  const token = ['--env', 'COPPICE_TOKEN=a-token-for-this-test-only'];
  docker('run', '--detach', '--name', name, ...limits, ...token, '--publish', '127.0.0.1::4747', image);
}, 1_800_000);

afterAll(() => {
  docker('rm', '--force', '--volumes', name);
  docker('rmi', '--force', image);
});

test('the container becomes healthy with a read-only root and does not run as root', async () => {
  await expect
    .poll(() => docker('inspect', '--format', '{{.State.Health.Status}}', name), { timeout: 120_000 })
    .toBe('healthy');
  expect(docker('exec', name, 'id', '-u')).not.toBe('0');
  expect(() => docker('exec', name, 'touch', '/app/x')).toThrow();
});

test('the container keeps its data, even after a restart', async () => {
  const program = ['node', '/app/node_modules/coppice/bin/coppice.mjs'];
  docker('exec', name, ...program, 'append', '--new', 'Keep this');
  docker('restart', name);
  await expect
    .poll(() => docker('inspect', '--format', '{{.State.Health.Status}}', name), { timeout: 120_000 })
    .toBe('healthy');
  expect(docker('exec', name, ...program, 'tree', 'last')).toContain('Keep this');
});
