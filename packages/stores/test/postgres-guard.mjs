// Waits until the process that started it has ended, then ends the server in a test folder and deletes the folder. The
// end of standard input means that the parent has ended. Plain JavaScript, so that Node needs no loader.
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
    // A server deletes its pid file when it ends, even if its parent has not read the exit code yet.
    const there = () => alive(pid) && postmaster() === pid;
    for (let waited = 0; waited < 100 && there(); waited++) await new Promise((resolve) => setTimeout(resolve, 50));
    if (there()) process.kill(pid, 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.exit(0);
}

// Ctrl-C reaches the whole process group, but the guard must outlive its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.on('end', leave).on('error', leave).resume();
