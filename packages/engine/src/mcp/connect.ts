/** Opens a connection to one MCP server. */
import { Client, ProtocolError, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { createChildTransport } from '#platform/child-transport';
import type { McpServerConfig } from '../config/contract.ts';
import type { EnvironmentVariables } from '../config/load.ts';
import { endsWithin } from '../event-loop.ts';
import type { McpLimits } from './contract.ts';
import { buildChildEnvironment } from './environment.ts';
import { errorText } from './error-text.ts';
import { createHttpTransport } from './http-transport.ts';
import { type ListedTools, listTools } from './list-tools.ts';

/** An open connection to a server, and the tools that it listed. */
export interface McpConnection {
  readonly client: Client;
  readonly server: { readonly name: string; readonly version: string } | null;
  readonly listed: ListedTools;
  /** Settings of the configuration that could not be applied. */
  readonly problems: readonly string[];
  /** Resolves with the reason when the connection is lost. */
  readonly lost: Promise<string>;
  /** Returns whether an error is a response of the server; otherwise the connection is broken. */
  isAnswer(error: unknown): error is Error;
  /** Closes the connection as broken; `lost` resolves with the reason. */
  lose(why: string): void;
  /** Reads the list of tools again. */
  list(): Promise<ListedTools>;
  /** Closes the connection; resolves when its process or socket is closed. */
  close(): Promise<void>;
}

export interface McpConnectOptions {
  readonly config: McpServerConfig;
  readonly env: EnvironmentVariables;
  readonly limits: McpLimits;
  readonly signal: AbortSignal;
  /** Called when the server reports that its tools changed. */
  readonly onListChanged: () => void;
}

/** Connects to a server and lists its tools. If that fails, its process or socket is closed. */
export async function connectMcpServer(options: McpConnectOptions): Promise<McpConnection> {
  const { config, limits, signal } = options;
  let broke = (_error: Error): void => undefined;
  const broken = new Promise<never>((_, reject) => {
    broke = reject;
  });
  broken.catch(ignoreCloseError);
  const { transport, problems, ending } = openTransport(options, (error) => broke(error));
  const client = new Client(
    { name: 'coppice', version: '0.1.0' },
    {
      capabilities: {},
      // A child that does not know the newer handshake may exit at the first message, so it gets the older one. An HTTP
      // server answers with an error and is then asked again with the older handshake.
      versionNegotiation: { mode: config.transport === 'http' ? 'auto' : 'legacy' },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: limits.settleMs, onChanged: () => options.onListChanged() },
      },
    },
  );
  let lose = (_why: string): void => undefined;
  const lost = new Promise<string>((resolve) => {
    lose = resolve;
  });
  client.onclose = () => lose(ending() ?? 'the connection was closed');
  const close = async () => {
    lose('it was ended');
    if (transport instanceof StreamableHTTPClientTransport) await endSession(transport, limits.graceMs);
    await client.close().catch(ignoreCloseError);
    // The client does not close a transport that never connected, but its child process is running.
    await transport.close().catch(ignoreCloseError);
  };
  const asking = { timeout: config.timeoutMs, signal };
  const list = () =>
    client.getServerCapabilities()?.tools === undefined
      ? Promise.resolve({ definitions: [], problems: [] })
      : listTools(client, limits, asking);
  try {
    await Promise.race([client.connect(transport, asking), broken]);
    const listed = await Promise.race([list(), broken]);
    broken.catch((error: unknown) => lose(errorText(error)));
    const about = client.getServerVersion();
    const server = about === undefined ? null : { name: about.name, version: about.version };
    const isAnswer = (error: unknown): error is Error => error instanceof ProtocolError;
    return { client, server, listed, problems, lost, lose, list, close, isAnswer };
  } catch (error) {
    await close();
    throw new Error(ending() ?? errorText(error));
  }
}

interface OpenedTransport {
  readonly transport: Transport;
  readonly problems: readonly string[];
  ending(): string | null;
}

function openTransport(
  { config, env: ours, limits }: McpConnectOptions,
  onBroken: (error: Error) => void,
): OpenedTransport {
  if (config.transport === 'http')
    return { transport: createHttpTransport(config, limits.messageBytes, onBroken), problems: [], ending: () => null };
  const { env, problems } = buildChildEnvironment(config, ours);
  const { command, cwd } = config;
  const { messageBytes, graceMs } = limits;
  const transport = createChildTransport({ command, cwd, env, messageBytes, graceMs });
  return { transport, problems, ending: () => transport.ending() };
}

/** Ends the session at the server; waits at most `ms` for its answer. */
async function endSession(transport: StreamableHTTPClientTransport, ms: number): Promise<void> {
  await endsWithin(transport.terminateSession().catch(ignoreCloseError), ms);
}

function ignoreCloseError(): void {
  // An error does not matter, because the connection is closed in any case.
}
