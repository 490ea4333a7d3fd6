/** Keeps one MCP server connected, and restarts it when the connection is lost. */
import type { JsonObject } from '@coppice/core';
import { isAppError } from '@coppice/core';
import type { McpServerConfig } from '../config/contract.ts';
import type { EnvironmentVariables } from '../config/load.ts';
import { redactKeys } from '../http/redact.ts';
import type { Clock } from '../providers/contract.ts';
import type { ToolResultContent } from '../tools/content.ts';
import { makeToolError } from '../tools/errors.ts';
import { toToolResultContent } from './call-result.ts';
import type { McpConnection } from './connect.ts';
import type { McpLimits, McpServerState, McpServerStatus } from './contract.ts';
import { errorText } from './error-text.ts';
import { type ListedTools, uncheckedResponseSchema } from './list-tools.ts';
import type { ToolDefinition } from './pins.ts';

/** The limits and callbacks that the client passes to each of its servers. */
export interface McpServerServices {
  readonly env: EnvironmentVariables;
  readonly limits: McpLimits;
  readonly clock: Clock;
  /** Called with each list of tools. Resolves with a problem that does not stop the server, or with null. */
  readonly onTools: (definitions: readonly ToolDefinition[]) => Promise<string | null>;
  /** Called after each change of status. */
  readonly onChange: () => void;
}

type Health = Omit<McpServerState, 'name' | 'target' | 'tools'>;

// The registry aborts calls at its own time limit, so the limit of the SDK must never be reached first.
const longestTimeout = 2 ** 31 - 1;

export class McpServer {
  readonly config: McpServerConfig;
  readonly #services: McpServerServices;
  #health: Health;
  #live: { readonly connection: McpConnection; calls: number } | null = null;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #firstTry: Promise<void> = Promise.resolve();
  #lists: Promise<void> = Promise.resolve();

  constructor(config: McpServerConfig, services: McpServerServices) {
    this.config = config;
    this.#services = services;
    const status: McpServerStatus = config.enabled ? 'closed' : 'disabled';
    const none = { server: null, lastError: null, nextTryAt: null, problems: [] };
    this.#health = { ...none, status, since: services.clock.now() };
  }

  get health(): Health {
    return this.#health;
  }

  get isReady(): boolean {
    return this.#live !== null;
  }

  /** Starts the server; resolves when the first attempt succeeded or failed. */
  start(): Promise<void> {
    if (!this.config.enabled || this.#health.status !== 'closed') return this.#firstTry;
    this.#stop = new AbortController();
    this.#setStatus('starting', { lastError: null });
    let endFirstTry = (): void => undefined;
    this.#firstTry = new Promise((resolve) => {
      endFirstTry = resolve;
    });
    this.#running = this.#keepConnected(this.#stop.signal, endFirstTry);
    return this.#firstTry;
  }

  /** Ends the connection and the process; resolves when both are closed. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('The client was closed.'));
    await this.#running;
    if (this.config.enabled) this.#setStatus('closed', {});
  }

  #setStatus(status: McpServerStatus, more: Partial<Health>): void {
    const { clock, onChange } = this.#services;
    const since = status === this.#health.status ? this.#health.since : clock.now();
    this.#health = { ...this.#health, nextTryAt: null, ...more, status, since };
    onChange();
  }

  async #keepConnected(signal: AbortSignal, endFirstTry: () => void): Promise<void> {
    const { clock, limits } = this.#services;
    let failures = 0;
    let restarts: number[] = [];
    while (!signal.aborted) {
      let readyAt: number | null = null;
      let why: string;
      try {
        // Loaded with the first server, because most programs have none and should not wait for the import.
        const { connectMcpServer: connect } = await import('./connect.ts');
        const connection = await connect({
          ...this.#services,
          config: this.config,
          signal,
          onListChanged: () => this.#relist(),
        });
        try {
          readyAt = clock.now();
          why = await this.#serve(connection, signal, endFirstTry);
        } finally {
          this.#live = null;
          await connection.close();
        }
      } catch (error) {
        why = errorText(error);
      }
      if (signal.aborted) break;
      const now = clock.now();
      if (readyAt !== null && now - readyAt >= limits.stableMs) failures = 0;
      restarts = restarts.filter((at) => now - at < limits.stableMs);
      const isDown = restarts.length >= limits.restarts;
      const growing = Math.min(limits.longestWaitMs, limits.firstWaitMs * 2 ** Math.min(failures++, 20));
      // Random, so that servers that were lost at the same time do not all reconnect at the same time.
      const pause = isDown ? limits.downMs : growing * (0.5 + clock.random() / 2);
      this.#setStatus(isDown ? 'down' : 'restarting', { lastError: why, nextTryAt: now + pause });
      endFirstTry();
      await clock.wait(pause, signal).catch(ignoreAbortedWait);
      if (signal.aborted) break;
      restarts.push(clock.now());
      this.#setStatus('restarting', {});
    }
    endFirstTry();
  }

  /** Keeps a connection open until it is lost; returns the reason. */
  async #serve(connection: McpConnection, signal: AbortSignal, endFirstTry: () => void): Promise<string> {
    const problems = await this.#publishTools(connection, connection.listed);
    this.#live = { connection, calls: 0 };
    this.#setStatus('ready', { lastError: null, server: connection.server, problems });
    endFirstTry();
    const over = new AbortController();
    const stop = () => connection.lose('it was ended');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    void this.#pingRegularly(connection, over.signal);
    try {
      const why = await connection.lost;
      this.#live = null;
      // The state changes before the caller gets its error, so that the caller sees the new state.
      if (!signal.aborted) this.#setStatus('restarting', { lastError: why });
      return why;
    } finally {
      signal.removeEventListener('abort', stop);
      over.abort();
    }
  }

  /** Passes the listed tools on; returns all problems of the connection and the list. */
  async #publishTools(connection: McpConnection, listed: ListedTools): Promise<readonly string[]> {
    const failed = await this.#services.onTools(listed.definitions);
    return [...connection.problems, ...listed.problems, ...(failed === null ? [] : [failed])];
  }

  /** Lists the tools again, one request at a time; if that fails, the old list stays in use. */
  #relist(): void {
    this.#lists = this.#lists.then(async () => {
      const live = this.#live;
      if (live === null) return;
      const { connection } = live;
      const problems = await connection.list().then(
        (listed) => this.#publishTools(connection, listed),
        (error: unknown) => [`Its tools could not be listed again: ${errorText(error)}`],
      );
      if (this.#live === live) this.#setStatus(this.#health.status, { problems });
    });
  }

  /** Pings an idle server regularly. */
  async #pingRegularly(connection: McpConnection, signal: AbortSignal): Promise<void> {
    const { clock, limits } = this.#services;
    while (!signal.aborted) {
      await clock.wait(limits.pingEveryMs, signal).catch(ignoreAbortedWait);
      if (!signal.aborted && this.#live?.calls === 0) await this.#ping(connection);
    }
  }

  async #ping(connection: McpConnection): Promise<void> {
    // The newer protocol has no ping.
    if (connection.client.getProtocolEra() === 'modern') return;
    try {
      await connection.client.ping({ timeout: this.#services.limits.pingMs });
    } catch (error) {
      // Even an error response proves that the server is running.
      if (!connection.isAnswer(error)) connection.lose(`it does not answer any more (${errorText(error)})`);
    }
  }

  /** Calls a tool. An abort is passed on to the server. Throws `tool/unavailable` if the server is not connected. */
  async call(tool: string, parameters: JsonObject, signal: AbortSignal): Promise<ToolResultContent> {
    if (this.#health.status === 'starting') await waitUnlessAborted(this.#firstTry, signal);
    const live = this.#live;
    if (live === null) throw this.#unavailable(tool);
    const { connection } = live;
    live.calls++;
    try {
      const params = { name: tool, arguments: parameters };
      const request = { method: 'tools/call', params };
      return toToolResultContent(
        await connection.client.request(request, uncheckedResponseSchema, { signal, timeout: longestTimeout }),
      );
    } catch (error) {
      if (signal.aborted) {
        // After a timeout a ping shows whether only the tool is slow or the whole server does not respond.
        if (isAppError(signal.reason) && signal.reason.code === 'tool/timeout') void this.#ping(connection);
        throw error;
      }
      if (connection.isAnswer(error))
        throw makeToolError(
          'tool/failed',
          `The server ${this.config.name} refused the call: ${redactKeys(error.message)}`,
          {
            server: this.config.name,
          },
        );
      connection.lose(errorText(error));
      throw makeToolError(
        'tool/unavailable',
        `The server ${this.config.name} was lost during the call (${await connection.lost}). Whether the call had an effect is not known.`,
        { server: this.config.name, tool },
      );
    } finally {
      live.calls--;
    }
  }

  #unavailable(tool: string): Error {
    const { status, lastError } = this.#health;
    const { name } = this.config;
    const why = lastError === null ? '' : ` (${lastError})`;
    return makeToolError('tool/unavailable', `The server ${name} is not connected: ${status}${why}.`, {
      server: name,
      tool,
    });
  }
}

async function waitUnlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const ending = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, ending]);
  signal.removeEventListener('abort', stop);
}

function ignoreAbortedWait(): void {
  // An aborted wait rejects. The callers check the signal instead.
}
