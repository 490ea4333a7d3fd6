/** Starts the command in its process: streams, signals and exit code. */
import { homedir } from 'node:os';
import { cliVersion } from './version.ts';

const stop = new AbortController();
let asked = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    asked += 1;
    stop.abort(new DOMException('Stopped.', 'AbortError'));
    // A second signal exits immediately. A closed terminal sends several, for which the reply must not lose its end.
    if (asked > 1 && signal !== 'SIGHUP') process.exit(130);
  });
const words = process.argv.slice(2);
let seenEnough = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') {
    // A reader that stops early, such as `head`, is not an error. The running action ends normally, so that a reply
    // keeps its text.
    if (!seenEnough) setTimeout(() => process.exit(0), 5000).unref();
    seenEnough = true;
    stop.abort(new DOMException('Stopped.', 'AbortError'));
    return;
  }
  // A closed terminal stops the command. If the command is already stopping, nothing is left to do.
  if (error.code === 'EIO' || asked > 0) return stop.abort(new DOMException('Stopped.', 'AbortError'));
  // A full disk is an error; otherwise a file with half of the output would look complete.
  const message = `The output could not be written and is incomplete: ${error.message}.`;
  const lost = { error: { code: 'cli/output', kind: 'unavailable', message, data: {} } };
  process.stderr.write(`${words.includes('--json') ? JSON.stringify(lost) : message}\n`);
  process.exit(6);
});
// An error of standard error changes neither the output nor the exit code.
process.stderr.on('error', () => undefined);

// Scripts often request the version, which needs no other module.
const versionWords: readonly (string | undefined)[] = ['--version', '-V', '-v', 'version'];
const others = words.filter((word) => word !== '--json');
if (others.length === 1 && versionWords.includes(others[0]))
  process.stdout.write(`${others.length < words.length ? JSON.stringify({ version: cliVersion }) : cliVersion}\n`);
else {
  const { runCli } = await import('./program.ts');
  const { findPagerCommand, showInPager } = await import('./terminal/pager.ts');
  const pager = process.stdout.isTTY === true ? findPagerCommand(process.env, process.platform) : null;
  const code = await runCli(words, {
    stdout: process.stdout,
    stderr: {
      isTTY: process.stderr.isTTY,
      // Read on each access, because the window may be resized.
      get columns() {
        return process.stderr.columns;
      },
      // After the reader has stopped early, nothing more is printed.
      write: (text) => seenEnough || process.stderr.write(text),
    },
    stdin: process.stdin,
    ...(pager === null ? {} : { pager: (lines: Iterable<string>) => showInPager(lines, pager, process.env) }),
    env: process.env,
    home: homedir(),
    cwd: process.cwd(),
    signal: stop.signal,
  });
  process.exitCode = seenEnough ? 0 : code;
  // A pipe that never ends would keep a stopped command alive.
  if (stop.signal.aborted) process.stdin.destroy();
}
