/** Starts worker processes, sends them tasks, and reads their reports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { tortureFolder } from './journal.ts';
import type { WorkerReport, WorkerTask } from './protocol.ts';

/**
 * Bundles the worker into one file. Starting a worker from sources takes half a second, and from a bundle a tenth of
 * that; a run starts thousands of workers. Native drivers are not bundled.
 */
async function buildBundle(): Promise<string> {
  mkdirSync(tortureFolder, { recursive: true });
  const outDir = mkdtempSync(join(tortureFolder, 'worker-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      outDir,
      target: 'node20',
      minify: false,
      rolldownOptions: { external: ['@photostructure/sqlite', 'pg'], output: { entryFileNames: 'worker.mjs' } },
    },
    ssr: { noExternal: [/^@coppice\//] },
  });
  return join(outDir, 'worker.mjs');
}

let bundle: Promise<string> | undefined;

/** Returns the path of the bundled worker, which is built once per process. */
function bundleWorker(): Promise<string> {
  bundle ??= buildBundle();
  return bundle;
}

/** Parses a report. Returns null for the incomplete last line of a killed worker. */
function parseReport(line: string): WorkerReport | null {
  try {
    const reported: WorkerReport = JSON.parse(line);
    return reported;
  } catch {
    return null;
  }
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #reported: (reported: WorkerReport) => void;
  readonly #waiting: {
    readonly fits: (reported: WorkerReport) => boolean;
    readonly resolve: (reported: WorkerReport | null) => void;
  }[] = [];
  readonly #ended: Promise<number | null>;
  #said = '';

  private constructor(child: ChildProcess, reported: (reported: WorkerReport) => void) {
    this.#child = child;
    this.#reported = reported;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#said += chunk.toString('utf8');
    });
    const pipe = child.stdio[3];
    if (!(pipe instanceof Readable)) throw new Error('The worker has no pipe.');
    const drained = new Promise<void>((resolve) => {
      const lines = createInterface({ input: pipe });
      lines.on('line', (line) => {
        const reported = parseReport(line);
        if (reported !== null) this.#hear(reported);
      });
      lines.on('close', resolve);
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    this.#ended = Promise.all([exited, drained]).then(([code]) => {
      for (const one of this.#waiting.splice(0)) one.resolve(null);
      return code;
    });
  }

  /** Starts a worker process, and waits until it can receive its task. */
  static async start(reported: (reported: WorkerReport) => void = () => undefined): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [await bundleWorker()], {
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, COPPICE_TEST_FAULTS: '1' },
    });
    child.stdin?.on('error', () => undefined);
    const worker = new WorkerProcess(child, reported);
    await worker.waitForReport((one) => one.reported === 'ready');
    return worker;
  }

  #hear(reported: WorkerReport): void {
    this.#reported(reported);
    const at = this.#waiting.findIndex((one) => one.fits(reported));
    if (at !== -1) this.#waiting.splice(at, 1)[0]?.resolve(reported);
  }

  /** Returns the next matching report; null if the worker ends first. */
  waitForReport(fits: (reported: WorkerReport) => boolean): Promise<WorkerReport | null> {
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }));
  }

  send(task: WorkerTask): void {
    this.#child.stdin?.write(`${JSON.stringify(task)}\n`);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Waits until the process has ended and its last report was read. Returns the exit code; null if it was killed. */
  async end(): Promise<number | null> {
    const code = await this.#ended;
    if (code !== null && code !== 0) throw new Error(`A worker ended with ${code}: ${this.#said.slice(-4000)}`);
    return code;
  }
}

/** Starts a worker that opens a store, and kills it after a time or when it has opened. Returns whether it had. */
export async function openUntilKilled(url: string, lifeMs: number): Promise<boolean> {
  const worker = await WorkerProcess.start();
  const opened = worker.waitForReport(({ reported }) => reported === 'open');
  worker.send({ task: 'session', url });
  await Promise.race([sleep(lifeMs), opened]);
  worker.kill();
  await worker.end();
  return (await opened) !== null;
}
