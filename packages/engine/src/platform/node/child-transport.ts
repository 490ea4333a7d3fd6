/** Runs an MCP server as a child process over stdio. The child never outlives this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { endsWithin } from '../../event-loop.ts';
import { redactKeys } from '../../http/redact.ts';

/** The program to run, its environment and its limits. */
export interface ChildCommand {
  /** The program first, then its arguments. */
  readonly command: readonly string[];
  readonly cwd?: string | undefined;
  /** The complete environment of the child; no other variables are passed on. */
  readonly env: Readonly<Record<string, string>>;
  /** The longest message, in bytes. */
  readonly messageBytes: number;
  readonly graceMs: number;
}

/** A transport that tells how its child process ended. */
export interface ChildTransport extends Transport {
  /**
   * Returns exit status and last output of the child, without secrets. Null while it runs, and after a requested exit
   * without an error code.
   */
  ending(): string | null;
}

/**
 * The shell script that starts the child. The child leads its own process group. A watcher in the same group waits on a
 * pipe whose other end only this process holds: when this process dies for any reason, the kernel closes the pipe and
 * the watcher kills the whole group. The command is passed as arguments and never parsed by the shell.
 */
const watched = [
  '( ( exec <&3 3<&- >/dev/null 2>&1',
  "trap '' TERM HUP INT",
  'read -r _',
  'kill -s TERM -- "-$$"',
  'sleep 1',
  'kill -s KILL -- "-$$" ) & )',
  'exec "$@" 3<&-',
].join('\n');

// How many bytes of stderr are kept; the last lines usually explain why a child exited.
const keptStderr = 2_048;

// How long the remaining output is read after the exit. A process that left the group could keep the pipe open for
// ever.
const drainMs = 500;

/**
 * Creates the transport for a command. Windows has no process groups; there the child must exit when its input closes.
 */
export function createChildTransport(child: ChildCommand): ChildTransport {
  return process.platform === 'win32' ? new PlainChild(child) : new WatchedChild(child);
}

class PlainChild extends StdioClientTransport implements ChildTransport {
  constructor({ command, cwd, env, messageBytes }: ChildCommand) {
    const [program = '', ...args] = command;
    const place = cwd === undefined ? {} : { cwd };
    super({ command: program, args, env, maxBufferSize: messageBytes, stderr: 'ignore', ...place });
  }

  ending(): string | null {
    return null;
  }
}

class WatchedChild implements ChildTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #child: ChildCommand;
  readonly #pieces: Buffer[] = [];
  #size = 0;
  #process: ChildProcess | null = null;
  #stderr = '';
  #exitReason: string | null = null;
  #exited: Promise<void> = Promise.resolve();
  #isFinished = false;
  #isExitRequested = false;

  constructor(child: ChildCommand) {
    this.#child = child;
  }

  ending(): string | null {
    return this.#exitReason;
  }

  start(): Promise<void> {
    const { command, cwd, env } = this.#child;
    const child = spawn('/bin/sh', ['-c', watched, 'coppice-mcp', ...command], {
      env,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#process = child;
    for (const stream of this.#streams()) stream.on('error', ignoreChildError);
    child.stdout?.on('data', (piece: Buffer) => this.#read(piece));
    child.stderr?.on('data', (piece: Buffer) => {
      this.#stderr = (this.#stderr + piece.toString('utf8')).slice(-keptStderr);
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#exitReason ??= `it could not be started (${error.message})`;
        this.#finish();
        reject(error);
      });
      this.#exited = new Promise((gone) => {
        child.once('error', () => gone());
        child.once('exit', (code, signal) => {
          // Kills the rest of the group, including the watcher.
          this.#signal('SIGKILL');
          const timer = setTimeout(end, drainMs);
          child.once('close', end);
          const over = () => this.#finish();
          const noteExit = () => {
            if (!this.#isExitRequested || (signal === null && code !== 0))
              this.#exitReason ??= this.#describeExit(code, signal);
          };
          function end(): void {
            clearTimeout(timer);
            noteExit();
            over();
            gone();
          }
        });
      });
    });
  }

  #describeExit(code: number | null, signal: NodeJS.Signals | null): string {
    const [program = ''] = this.#child.command;
    const how =
      code === 127
        ? `the program ${program} was not found (exit code 127)`
        : signal === null
          ? `it ended with exit code ${code}`
          : `it was ended by ${signal}`;
    const stderrText = redactKeys(this.#stderr).trim();
    return stderrText === '' ? how : `${how}; it said: ${stderrText}`;
  }

  #streams(): readonly (Readable | Writable | Duplex)[] {
    return this.#process?.stdio.filter((stream) => stream !== null && stream !== undefined) ?? [];
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    for (const stream of this.#streams()) stream.destroy();
    this.onclose?.();
  }

  #read(piece: Buffer): void {
    let from = 0;
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, from)) {
      this.#pieces.push(piece.subarray(from, at));
      const line = Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/, '');
      this.#pieces.length = 0;
      this.#size = 0;
      from = at + 1;
      this.#handleLine(line);
    }
    if (from < piece.length) this.#pieces.push(piece.subarray(from));
    this.#size += piece.length - from;
    if (this.#size <= this.#child.messageBytes) return;
    this.#pieces.length = 0;
    this.#size = 0;
    this.#exitReason = `it sent a message of more than ${this.#child.messageBytes} bytes`;
    this.onerror?.(new Error(this.#exitReason));
    this.#signal('SIGKILL');
    this.#finish();
  }

  #handleLine(line: string): void {
    if (line.trim() === '' || this.#isFinished) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      // Some servers print other text to stdout; lines that are not messages are skipped.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.onmessage?.(message);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#process?.stdin;
    if (!input || this.#isFinished || !input.writable) return Promise.reject(new Error('The server has exited.'));
    return new Promise((resolve, reject) => {
      input.write(serializeMessage(message), (error) => {
        if (!error) resolve();
        // A pipe breaks shortly before the exit is known. The exit status explains more, so the error waits for it.
        else void endsWithin(this.#exited, drainMs).then(() => reject(new Error(this.#exitReason ?? error.message)));
      });
    });
  }

  /** Closes the child's input, then sends SIGTERM, then SIGKILL; resolves when the whole group has exited. */
  async close(): Promise<void> {
    const child = this.#process;
    if (child === null || child.pid === undefined) return this.#finish();
    this.#isExitRequested = true;
    child.stdin?.end();
    if (!(await endsWithin(this.#exited, this.#child.graceMs))) {
      this.#signal('SIGTERM');
      if (!(await endsWithin(this.#exited, this.#child.graceMs))) this.#signal('SIGKILL');
    }
    await this.#exited;
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group no longer exists.
    }
  }
}

function ignoreChildError(): void {
  // A broken pipe means that the child exited; its exit event reports that.
}
