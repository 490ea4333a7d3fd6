// Deletes a test folder, and ends the server in it, after the process that started this guard has ended. When the
// standard input ends, the parent has ended. This is plain JavaScript, so that Node runs it without a loader.
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
    // A server that has ended has deleted its file, even if no process has collected its exit code.
    const there = () => alive(pid) && postmaster() === pid;
    for (let waited = 0; waited < 100 && there(); waited++) await new Promise((resolve) => setTimeout(resolve, 50));
    if (there()) process.kill(pid, 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.exit(0);
}

// Ctrl-C in the terminal reaches the whole process group. The guard must end after its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.on('end', leave).on('error', leave).resume();
