/** Starts server processes, and kills and restarts them. */
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

/** One member of the fleet: its port and its current process. */
class FleetServer {
  readonly url: string;
  child: ChildProcess | null = null;
  port: number | null = null;
  stderr = '';

  constructor(url: string) {
    this.url = url;
  }
}

/** Several server processes on one store. */
export class ServerFleet {
  readonly #file: string;
  readonly #token: string;
  readonly #servers: readonly FleetServer[];
  kills = 0;

  /** Creates the fleet. The store URLs are assigned to the servers in turn. */
  constructor(file: string, urls: readonly string[], token: string, count: number) {
    this.#file = file;
    this.#token = token;
    this.#servers = Array.from({ length: count }, (_, at) => new FleetServer(urls[at % urls.length] ?? ''));
  }

  /** Starts all processes; resolves when each of them listens. */
  async start(): Promise<void> {
    for (const server of this.#servers) await this.#launch(server);
  }

  async #launch(server: FleetServer): Promise<void> {
    const child = spawn(process.execPath, [this.#file, server.url, this.#token], { stdio: ['pipe', 'pipe', 'pipe'] });
    server.child = child;
    server.stderr = '';
    child.stdin?.on('error', () => undefined);
    child.stderr?.on('data', (chunk: Buffer) => {
      server.stderr = (server.stderr + chunk.toString('utf8')).slice(-4_000);
    });
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const [line] = await Promise.race([
      new Promise<[string | null]>((resolve) => lines.once('line', (text) => resolve([text]))),
      new Promise<[null]>((resolve) => child.once('exit', () => resolve([null]))),
    ]);
    if (line === null) return;
    const { port }: { readonly port: number } = JSON.parse(line);
    server.port = port;
  }

  /** Kills one process and restarts it. */
  async killOne(which: number): Promise<void> {
    const server = this.#servers[which % this.#servers.length];
    if (server?.child == null) return;
    const { child } = server;
    server.port = null;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    this.kills++;
    await this.#launch(server);
    // A server cannot start while the database is down, so the start is repeated.
    for (let attempts = 0; server.port === null && attempts < 50; attempts++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await this.#launch(server);
    }
  }

  /** Returns the URLs of the processes that listen now. */
  addresses(): readonly string[] {
    return this.#servers.flatMap(({ port }) => (port === null ? [] : [`http://127.0.0.1:${port}`]));
  }

  /** Returns the error output of all processes, for the message of a failed test. */
  readStderr(): string {
    return this.#servers.map((server) => server.stderr).join('\n');
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    for (const { child } of this.#servers) {
      if (child === null || child.exitCode !== null || child.signalCode !== null) continue;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    }
  }
}
