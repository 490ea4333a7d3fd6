/** Tests that the processes of `npm start` end with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const watcher = new URL('../scripts/end-with-parent.ts', import.meta.url).href;

test.skipIf(process.platform === 'win32')(
  'a process that npm started is stopped when the shell between them is',
  async () => {
    const script = `import { endWithParent } from ${JSON.stringify(watcher)};
      process.on('SIGTERM', () => { console.log('tidy'); process.exit(0); });
      setInterval(() => undefined, 1000);
      endWithParent(20);
      console.log('ready');`;
    // The second command prevents the shell from replacing itself with the first.
    const shell = spawn('sh', ['-c', '"$0" --import tsx --input-type=module -e "$1"; true', process.execPath, script], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    const ready = new Promise<void>((resolve) => {
      shell.stdout.on('data', (piece: Buffer) => {
        said += piece.toString();
        if (said.includes('ready')) resolve();
      });
    });
    await ready;
    const closed = once(shell, 'close');
    shell.kill('SIGTERM');
    // The output is closed when the last process ends.
    await closed;
    expect(said).toBe('ready\ntidy\n');
  },
);
