/** Runs the command in a real pseudo-terminal with a readable screen. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { compileCliOnce } from './compiled.ts';
import { makeTestScreen } from './screen.ts';

const program = await compileCliOnce();

/** The input that a terminal sends for special keys. */
export const terminalKeys = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  backspace: '\u007f',
  delete: '\u001b[3~',
  up: '\u001b[A',
  down: '\u001b[B',
  pageUp: '\u001b[5~',
  pageDown: '\u001b[6~',
  altLeft: '\u001b[1;3D',
  altRight: '\u001b[1;3C',
  altUp: '\u001b[1;3A',
  shiftTab: '\u001b[Z',
  control: (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96),
} as const;

export interface TestTerminal {
  /** Sends keys, as if typed. */
  type(text: string): void;
  /** The lines of the screen, without trailing blanks. */
  screen(): string;
  /** The lines of the screen and those that were scrolled out of it. */
  scrollback(): string;
  /** Waits until the screen shows a text. On failure the error contains the current screen. */
  shows(what: string | RegExp): Promise<string>;
  /**
   * Waits until the screen and the scrollback together match, with every run of blanks and line breaks as one blank.
   */
  prints(what: RegExp): Promise<void>;
  /** Waits until the screen no longer shows a text. */
  hides(what: string | RegExp): Promise<string>;
  resize(columns: number, rows: number): void;
  /** Waits for the exit and returns the exit code. */
  ended(): Promise<number>;
  /** Sends a signal from outside the terminal. */
  signal(name: 'SIGTERM' | 'SIGHUP'): void;
  /** Everything that the program wrote, including escape sequences. */
  written(): string;
  kill(): void;
}

/** Returns a home directory with a configuration whose model responds immediately and uses no network. */
export function makeHome(config = 'model = "offline/guide"\n[offline]\ndelay_ms = 0\n[ollama]\ndetect = false\n'): {
  readonly home: string;
  close(): void;
} {
  const home = mkdtempSync(join(tmpdir(), 'coppice-terminal-'));
  mkdirSync(join(home, '.coppice'));
  writeFileSync(join(home, '.coppice', 'config.toml'), config);
  return { home, close: () => rmSync(home, { recursive: true, force: true }) };
}

const timeoutMs = 60_000;

/** Starts `coppice` with these arguments in a home directory. */
export function startCliInTerminal(
  words: readonly string[],
  home: string,
  size: { readonly columns: number; readonly rows: number } = { columns: 90, rows: 28 },
  env: Readonly<Record<string, string>> = {},
): TestTerminal {
  return startProgramInTerminal([process.execPath, program, ...words], home, size, env);
}

/** The compiled command, for scripts that tests run. */
export const compiledCliArgv: readonly string[] = [process.execPath, program];

/** Starts any program in a pseudo-terminal. */
export function startProgramInTerminal(
  [file = '', ...words]: readonly string[],
  home: string,
  size: { readonly columns: number; readonly rows: number },
  env: Readonly<Record<string, string>> = {},
): TestTerminal {
  const { columns, rows } = size;
  const screen = makeTestScreen(columns, rows);
  const child: IPty = spawn(file, [...words], {
    cols: columns,
    rows,
    cwd: home,
    env: { HOME: home, PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
  });
  let code: number | null = null;
  const changed = new Set<() => void>();
  const tell = () => {
    for (const each of changed) each();
  };
  let written = '';
  child.onData((data) => {
    written += data;
    screen.write(data, tell);
  });
  child.onExit(({ exitCode }) => {
    // The screen parses its input later. A program has ended for a test when its last output is on the screen.
    screen.write('', () => {
      code = exitCode;
      tell();
    });
  });
  const text = () => {
    const { active } = screen.buffer;
    const lines: string[] = [];
    for (let at = 0; at < screen.rows; at++)
      lines.push(active.getLine(active.viewportY + at)?.translateToString(true) ?? '');
    return lines.join('\n');
  };
  const scrolled = () => {
    const { active } = screen.buffer;
    const lines: string[] = [];
    for (let at = 0; at < active.length; at++) lines.push(active.getLine(at)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  };
  const wait = (until: () => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (error?: Error) => {
        changed.delete(check);
        clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(error);
      };
      const check = () => {
        if (until()) done();
        else if (code !== null) done(new Error(`It ended with ${code} and never showed ${what}:\n${text()}`));
      };
      const timer = setTimeout(() => done(new Error(`The screen never showed ${what}:\n${text()}`)), timeoutMs);
      changed.add(check);
      check();
    });
  const has = (what: string | RegExp) => (typeof what === 'string' ? text().includes(what) : what.test(text()));
  return {
    type: (input) => child.write(input),
    screen: text,
    scrollback: scrolled,
    async shows(what) {
      await wait(() => has(what), String(what));
      return text();
    },
    prints: (what) => wait(() => what.test(scrolled().replace(/\s+/g, ' ')), String(what)),
    async hides(what) {
      // A frame arrives in chunks, so a line may be missing for a moment between two of them.
      for (let gone = false; !gone; gone = !has(what)) {
        await wait(() => !has(what), `the end of ${String(what)}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return text();
    },
    resize(cols, lines) {
      screen.resize(cols, lines);
      child.resize(cols, lines);
    },
    async ended() {
      await wait(() => code !== null, 'its end');
      return code ?? 1;
    },
    signal: (name) => child.kill(name),
    written: () => written,
    kill() {
      // The process id of an ended process may be reused.
      if (code === null) child.kill('SIGKILL');
    },
  };
}
