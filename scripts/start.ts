// npm start: the server and the page from a checkout. Builds the page the first time, and when its sources are newer.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exitOf, repository, startTool } from './tools.ts';

const web = join(repository, 'packages', 'web');
const built = join(web, 'dist', 'index.html');

function newest(folder: string): number {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

if (!existsSync(built) || newest(join(web, 'src')) > statSync(built).mtimeMs) {
  process.stderr.write('Building the page, which is needed once…\n');
  const code = await exitOf(startTool('vite', ['build', '--logLevel', 'warn'], { cwd: web, stdio: 'inherit' }));
  if (code !== 0) process.exit(code);
}
const command = spawn(process.execPath, [join(repository, 'packages/cli/bin/coppice.mjs'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// A stop meant for this process reaches the server, which then ends tidily.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => command.kill(signal));
process.exitCode = await exitOf(command);
