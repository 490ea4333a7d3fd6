// npm start: runs the server and the page from a checkout. Builds the page the first time, and again when its sources
// are newer.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithParent } from './end-with-parent.ts';
import { repositoryRoot, startWorkspaceTool, waitForExit } from './tools.ts';

const web = join(repositoryRoot, 'packages', 'web');
const built = join(web, 'dist', 'index.html');

function newest(folder: string): number {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

const changed = Math.max(newest(join(web, 'src')), statSync(join(web, 'vite.config.ts')).mtimeMs);
if (!existsSync(built) || changed > statSync(built).mtimeMs) {
  process.stderr.write('Building the page, which is needed once…\n');
  const code = await waitForExit(
    startWorkspaceTool('vite', ['build', '--logLevel', 'warn'], { cwd: web, stdio: 'inherit' }),
  );
  if (code !== 0) process.exit(code);
  await waitForExit(startWorkspaceTool('tsx', ['site/write-documents.ts', join(web, 'dist')], { stdio: 'inherit' }));
}
if (process.env['npm_lifecycle_event'] === 'start') endWithParent();
// The command runs in this process, because Ctrl-C signals all processes of the terminal and the server should get one
// signal.
const command = join(repositoryRoot, 'packages/cli/bin/coppice.mjs');
process.argv = [process.execPath, command, ...process.argv.slice(2)];
await import(pathToFileURL(command).href);
