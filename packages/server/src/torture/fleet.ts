/** Server processes that are killed and restarted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const folder = fileURLToPath(new URL('../../../../.tmp/torture', import.meta.url));

/** Bundles the server into one file, so that a killed process restarts quickly. Native drivers stay external. */
export async function bundleServer(): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outDir = mkdtempSync(join(folder, 'server-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL('./server-process.ts', import.meta.url)),
      outDir,
      target: 'node20',
      minify: false,
      rolldownOptions: { external: ['@photostructure/sqlite', 'pg', 'pino'], output: { entryFileNames: 'server.mjs' } },
    },
    ssr: { noExternal: [/^@coppice\//] },
  });
  return join(outDir, 'server.mjs');
}

/** One slot of the fleet and its current process. */
class Berth {
  readonly url: string;
  child: ChildProcess | null = null;
  port: number | null = null;
  said = '';

  constructor(url: string) {
    this.url = url;
  }
}

/** Several server processes on one store. */
export class ServerFleet {
  readonly #file: string;
  readonly #token: string;
  readonly #berths: readonly Berth[];
  kills = 0;

  /** Returns the store URLs, which are assigned to the servers round-robin. */
  constructor(file: string, urls: readonly string[], token: string, count: number) {
    this.#file = file;
    this.#token = token;
    this.#berths = Array.from({ length: count }, (_, at) => new Berth(urls[at % urls.length] ?? ''));
  }

  /** Starts all processes; resolves when each of them listens. */
  async start(): Promise<void> {
    for (const berth of this.#berths) await this.#launch(berth);
  }

  async #launch(berth: Berth): Promise<void> {
    const child = spawn(process.execPath, [this.#file, berth.url, this.#token], { stdio: ['pipe', 'pipe', 'pipe'] });
    berth.child = child;
    berth.said = '';
    child.stdin?.on('error', () => undefined);
    child.stderr?.on('data', (chunk: Buffer) => {
      berth.said = (berth.said + chunk.toString('utf8')).slice(-4_000);
    });
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const [line] = await Promise.race([
      new Promise<[string | null]>((resolve) => lines.once('line', (text) => resolve([text]))),
      new Promise<[null]>((resolve) => child.once('exit', () => resolve([null]))),
    ]);
    if (line === null) return;
    const { port }: { readonly port: number } = JSON.parse(line);
    berth.port = port;
  }

  /** Kills one process and restarts it. */
  async killOne(which: number): Promise<void> {
    const berth = this.#berths[which % this.#berths.length];
    if (berth?.child == null) return;
    const { child } = berth;
    berth.port = null;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    this.kills++;
    await this.#launch(berth);
    // While the database is down a server cannot start, so the start is repeated.
    for (let tries = 0; berth.port === null && tries < 50; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await this.#launch(berth);
    }
  }

  /** Returns the URLs of the processes that listen now. */
  addresses(): readonly string[] {
    return this.#berths.flatMap(({ port }) => (port === null ? [] : [`http://127.0.0.1:${port}`]));
  }

  /** Returns the error output of the processes. */
  words(): string {
    return this.#berths.map((berth) => berth.said).join('\n');
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    for (const { child } of this.#berths) {
      if (child === null || child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
  }
}
