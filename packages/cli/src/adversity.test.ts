// @module-tag full
/** Tests the installed command without write permission and with a full disk. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileCliOnce } from './testing/compiled.ts';
import { makeHome } from './testing/terminal.ts';

const program = await compileCliOnce();
// Root may write everywhere, so a test that runs as root starts the command as another user.
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function coppice(
  words: readonly string[],
  home: string,
  over: { env?: NodeJS.ProcessEnv; uid?: number; gid?: number } = {},
): Ended {
  const { env = {}, ...who } = over;
  const ended = spawnSync(process.execPath, [program, ...words], {
    cwd: home,
    encoding: 'utf8',
    input: '',
    env: { PATH: process.env['PATH'], HOME: home, ...env },
    ...who,
  });
  return { code: ended.status, out: ended.stdout, err: ended.stderr };
}

describe('a read-only home', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'coppice-unwritable-'));
  });
  afterEach(() => {
    chmodSync(home, 0o755);
    rmSync(home, { recursive: true, force: true });
  });

  const lock = () => {
    for (const each of readdirSync(join(home, '.coppice'))) chmodSync(join(home, '.coppice', each), 0o444);
    chmodSync(join(home, '.coppice'), 0o555);
    chmodSync(home, 0o555);
  };
  const unlock = () => {
    chmodSync(home, 0o755);
    chmodSync(join(home, '.coppice'), 0o755);
  };

  it('[O7] is listed, shown, searched and exported, is reported as read-only, and refuses writes at once', () => {
    expect(coppice(['append', '--new', '--title', 'Bread', 'Hello'], home)).toMatchObject({ code: 0 });
    lock();
    try {
      for (const words of [
        ['show', 'last'],
        ['export', 'last', '-f', 'markdown'],
      ]) {
        const { code, out, err } = coppice(words, home, nobody);
        expect({ words, code }).toEqual({ words, code: 0 });
        expect(out).toMatch(/Hello|Bread/);
        expect(err).toContain('nothing can be saved');
      }
      const before = statSync(join(home, '.coppice', 'coppice.db')).mtimeMs;
      for (const words of [['append', 'last', 'More']]) {
        const { code, err } = coppice([...words, '--json'], home, nobody);
        expect(code, words.join(' ')).toBe(5);
        expect(JSON.parse(err.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'tree/read-only' } });
      }
      expect(statSync(join(home, '.coppice', 'coppice.db')).mtimeMs).toBe(before);
    } finally {
      unlock();
    }
    expect(coppice(['append', 'last', 'More'], home)).toMatchObject({ code: 0 });
  });

  it('[O7] without a store is reported as read-only, not shown as an empty history', () => {
    chmodSync(home, 0o555);
    const { code, out, err } = coppice(['ls'], home, nobody);
    expect({ code, out }).toEqual({ code: 5, out: '' });
    expect(err).toContain(home);
  });
});

describe('a full disk', () => {
  let home: string;
  let full: { readonly env: NodeJS.ProcessEnv; free(): void; end(): void };

  // Mounts a small disk if the system allows it; otherwise the store simulates a full disk.
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'coppice-full-'));
    mkdirSync(join(home, '.coppice'));
    const mounted =
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'coppice', join(home, '.coppice')]).status === 0;
    const filler = join(home, '.coppice', 'filler');
    full = {
      env: mounted ? {} : { COPPICE_TEST_FAULTS: '1', COPPICE_FAULT: 'before-commit:1:enospc:sticky' },
      free: () => rmSync(filler, { force: true }),
      end: () => void (mounted && spawnSync('umount', [join(home, '.coppice')])),
    };
    expect(coppice(['append', '--new', 'Before'], home)).toMatchObject({ code: 0 });
    if (mounted) {
      const block = new Uint8Array(4096);
      try {
        for (;;) writeFileSync(filler, block, { flag: 'a' });
      } catch {
        // The write fails because the disk is full, which is the purpose of this setup.
      }
    }
  });
  afterEach(() => {
    full.end();
    rmSync(home, { recursive: true, force: true });
  });

  it('[O9] fails new writes, keeps earlier ones, can still be read, and works again when there is space', () => {
    const { env } = full;
    const text = 'x'.repeat(60_000);
    const failed = coppice(['append', 'last', text, '--json'], home, { env });
    expect(failed).toMatchObject({ code: 6, out: '' });
    expect(JSON.parse(failed.err.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'store/full' } });
    const shown = coppice(['show', 'last', '--json'], home);
    expect(JSON.parse(shown.out)).toMatchObject({ nodes: [{ text: 'Before' }] });
    full.free();
    expect(coppice(['append', 'last', text], home)).toMatchObject({ code: 0 });
    expect(JSON.parse(coppice(['show', 'last', '--json'], home).out)).toMatchObject({
      nodes: [{ text: 'Before' }, { text }],
    });
    expect(coppice(['fsck'], home)).toMatchObject({ code: 0 });
  });
});

// A device on which every write fails; not every system has one.
const fullDevice = '/dev/full';

describe.runIf(existsSync(fullDevice))('output that cannot be written', () => {
  it('[O9] is reported as a full disk, and messages beside the output do not count as output', () => {
    const home = mkdtempSync(join(tmpdir(), 'coppice-answer-'));
    const full = openSync(fullDevice, 'w');
    try {
      const spawned = (words: readonly string[], stdio: ('pipe' | number)[]) =>
        spawnSync(process.execPath, [program, ...words], { cwd: home, env: { HOME: home }, encoding: 'utf8', stdio });
      const lost = spawned(['completion', 'bash', '--json'], ['pipe', full, 'pipe']);
      expect(lost.status).toBe(6);
      expect(JSON.parse(lost.stderr)).toMatchObject({ error: { code: 'cli/output', kind: 'unavailable' } });
      expect(spawned(['completion', 'tcsh'], ['pipe', 'pipe', full]).status).toBe(2);
    } finally {
      closeSync(full);
      rmSync(home, { recursive: true, force: true });
    }
  });
});

describe('a reader that closes the pipe', () => {
  it('[O32] is not an error, and the received part of a reply is kept', async () => {
    const { home, close } = makeHome('model = "offline/babble"\n[offline]\ndelay_ms = 50\n[ollama]\ndetect = false\n');
    try {
      const chat = spawn(process.execPath, [program, 'chat', '-p', 'Tell me a story'], {
        cwd: home,
        env: { HOME: home },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      chat.stderr.on('data', (piece: Buffer) => {
        said += piece.toString();
      });
      chat.stdout.once('data', () => chat.stdout.destroy());
      const [code] = await once(chat, 'close');
      expect({ code, said }).toEqual({ code: 0, said: '' });
      const shown = JSON.parse(coppice(['show', 'last', '--json'], home).out);
      expect(shown).toMatchObject({
        nodes: [{ role: 'user' }, { status: 'aborted', text: expect.stringMatching(/./) }],
      });
    } finally {
      close();
    }
  });
});
