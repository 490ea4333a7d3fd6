// npm run torture -- <name>: runs a torture test. Tests that need servers are in the server package.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitForExit } from './tools.ts';

const [name = '', ...words] = process.argv.slice(2);
const part = name === 'pgwriters' || name === 'servers' ? 'server' : 'stores';
const main = fileURLToPath(new URL(`../packages/${part}/src/torture/main.ts`, import.meta.url));
const child = spawn(process.execPath, ['--import', 'tsx', main, name, ...words], { stdio: 'inherit' });
process.exitCode = await waitForExit(child);
