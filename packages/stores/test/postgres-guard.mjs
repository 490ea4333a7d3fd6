// Guards a test folder, and the server in it if there is one, and survives the process that started it: when its
// standard input ends, its parent is gone, and it ends the server and deletes the folder. Plain JavaScript, so that
// Node runs it without a loader.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '';

function postmaster() {
  try {
    return Number.parseInt(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8'), 10);
  } catch {
    return 0;
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function leave() {
  const pid = postmaster();
  if (pid > 0 && alive(pid)) {
    process.kill(pid, 'SIGQUIT');
    // A server that ended has deleted its file, even if nobody reaps the dead process.
    const there = () => alive(pid) && postmaster() === pid;
    for (let waited = 0; waited < 100 && there(); waited++) await new Promise((resolve) => setTimeout(resolve, 50));
    if (there()) process.kill(pid, 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.exit(0);
}

// A Ctrl-C at the terminal reaches the whole group; the guard leaves after its parent, not before.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.on('end', leave).on('error', leave).resume();
