/** The process: its streams, its signals and its exit code. */
import { homedir } from 'node:os';
import { version } from './version.ts';

const stop = new AbortController();
let asked = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    asked += 1;
    stop.abort(new DOMException('Stopped.', 'AbortError'));
    // Whoever asks again does not want to wait for a tidy end.
    if (asked > 1) process.exit(130);
  });
const words = process.argv.slice(2);
let seenEnough = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') {
    // A reader that has seen enough, such as head, is no error. What is under way ends tidily: a reply keeps what was said.
    if (!seenEnough) setTimeout(() => process.exit(0), 5000).unref();
    seenEnough = true;
    stop.abort(new DOMException('Stopped.', 'AbortError'));
    return;
  }
  // A terminal that is gone asks for an end, and whoever ends already has no more to say.
  if (error.code === 'EIO' || asked > 0) return stop.abort(new DOMException('Stopped.', 'AbortError'));
  // A full disk is one: whoever wrote the answer to a file would take half of it for the whole.
  const message = `The answer could not be written, and what is there of it is not whole: ${error.message}.`;
  const lost = { error: { code: 'cli/output', kind: 'unavailable', message, data: {} } };
  process.stderr.write(`${words.includes('--json') ? JSON.stringify(lost) : message}\n`);
  process.exit(6);
});
// What cannot be said beside the answer changes nothing about the answer, nor about the exit code.
process.stderr.on('error', () => undefined);

// Scripts ask for the version often, and nothing else has to be loaded to say it.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) process.stdout.write(`${version}\n`);
else {
  const { runArguments } = await import('./program.ts');
  const code = await runArguments(words, {
    stdout: process.stdout,
    stderr: {
      isTTY: process.stderr.isTTY,
      // Asked each time: a window changes its size while work goes on.
      get columns() {
        return process.stderr.columns;
      },
      // Nobody is told that they have seen enough.
      write: (text) => seenEnough || process.stderr.write(text),
    },
    stdin: process.stdin,
    env: process.env,
    home: homedir(),
    cwd: process.cwd(),
    signal: stop.signal,
  });
  process.exitCode = seenEnough ? 0 : code;
  // A pipe that nobody ends would keep a command that was stopped.
  if (stop.signal.aborted) process.stdin.destroy();
}
