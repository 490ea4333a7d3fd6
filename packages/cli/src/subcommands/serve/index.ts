import { join } from 'node:path';
import { localTokenPath, openLocalToken, openTools } from '@coppice/engine';
import type { RunningServer, ServeOptions } from '@coppice/server';
import { openPage } from '../../browser.ts';
import type { CliContext } from '../../cli-context.ts';
import { defaultPort } from '../../default-port.ts';
import { createExampleTree } from '../../example-tree.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { overflowFolderOf } from '../../failed-calls.ts';
import { findWebFolder } from '../../web-folder.ts';
import { defineSubcommand } from '../contract.ts';

/** The log levels; by default only errors. */
const levels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

export const serve = defineSubcommand({
  name: 'serve',
  summary: 'start the server and open the page (the default command)',
  worksOn: 'this-computer',
  group: 'Chat',
  begins: true,
  options: [
    {
      name: 'port',
      value: 'number',
      summary: `port (default ${defaultPort}, if free); 0 chooses a free port and prints {"port","token"}`,
    },
    {
      name: 'host',
      value: 'address',
      summary: 'address to listen on (default: this machine only); others need COPPICE_TOKEN or --users',
    },
    { name: 'users', summary: 'allow several users, each with their own tokens' },
    {
      name: 'allow-host',
      value: 'name',
      many: true,
      summary: 'host name that the server answers to, such as trees.example.org',
    },
    {
      name: 'allow-origin',
      value: 'origin',
      many: true,
      summary: 'web origin that may call the API, besides those of the configuration',
    },
    {
      name: 'sign-in-proxy',
      value: 'address',
      many: true,
      summary: 'with --users: address of a proxy that authenticates users',
    },
    { name: 'user-header', value: 'name', summary: 'header with the user name (default x-forwarded-user)' },
    { name: 'log', value: 'level', summary: `log level on standard error: ${levels.join(', ')}`, completes: levels },
    { name: 'no-open', summary: 'do not open a browser' },
    { name: 'no-example', summary: 'do not create the example chat in an empty store' },
  ],
  examples: [
    'coppice',
    'coppice serve --port 8080 --no-open',
    'coppice serve --port 0',
    'coppice serve --users --host 0.0.0.0 --allow-host trees.example.org --log info',
  ],
  async run(given, at) {
    const { host: machine, output } = at;
    const port = given.count('port', 0);
    if (port !== undefined && port > 65_535) throw makeUsageError(`Invalid port ${port}. Use a number up to 65535.`);
    const level = given.optional('log') ?? 'error';
    if (!levels.some((known) => known === level))
      throw makeUsageError(`Unknown log level ${level}. Use one of ${levels.join(', ')}.`);
    const proxies = given.many('sign-in-proxy');
    const proxy = { addresses: proxies, userHeader: given.optional('user-header') ?? 'x-forwarded-user' };
    if (proxies.length > 0 && !given.flag('users'))
      throw makeUsageError('--sign-in-proxy works only with --users. Add --users.');
    // Imported here, so that the help, which loads all subcommands, does not load the modules of the server.
    const { createLog, makeFirstAdmin, serve: listen } = await import('@coppice/server');
    // The keys of the person who starts a shared server must not be used by its users.
    const live = await (given.flag('users') ? at.sharedLive() : at.live());
    const [store, config] = [await at.store(), live.current];
    const readOnly = (await store.info()).readOnly;
    if (!given.flag('no-example') && !readOnly && port !== 0) await createExampleTree(store, at.context());
    const auth = given.flag('users')
      ? ({ mode: 'users', ...(proxies.length === 0 ? {} : { proxy }) } as const)
      : await tokenAuth(at);
    const web = findWebFolder();
    const host = given.optional('host');
    const opened = openTools({ live, env: machine.env, home: machine.home, addable: true });
    at.onClose(opened.close);
    await opened.start();
    const options: ServeOptions = {
      tools: opened.tools,
      mcp: opened.mcp ?? undefined,
      store,
      ...(readOnly ? {} : { storeUrl: await at.storeUrl() }),
      config,
      hosts: given.many('allow-host'),
      origins: [...given.many('allow-origin'), ...(config.server.origins ?? [])],
      log: createLog({ level, to: { write: (line) => void machine.stderr.write(line) } }),
      auth,
      live,
      ...(web === null ? {} : { web }),
      // On many systems the temporary folder is in memory, and an upload may be larger than the memory.
      spool: join(machine.home, '.coppice', 'spool'),
      spillFolder: await overflowFolderOf(at),
      // Chats of other programs on this computer belong to the person who started the server.
      ...(given.flag('users')
        ? {}
        : { computer: { home: machine.home, env: machine.env, platform: process.platform } }),
      ...(host === undefined ? {} : { host }),
    };
    const listening = await startServer(listen, options, port);
    at.onClose(() => listening.close());
    // A server with users needs a first admin. The admin is created after the port was opened: the token is shown only
    // once, and would be lost if the port is in use.
    const admin = given.flag('users') ? await makeFirstAdmin(store, at.context()) : null;
    if (admin !== null) output.note(`The first user is admin. This token is shown only once: ${admin}\n`);
    if (at.options.bare === true && machine.stdout.isTTY === true) for (const line of welcome) output.print(line);
    printAddress(listening, auth.mode === 'users' ? (admin ?? '') : auth.token, at, port === 0);
    if (web === null)
      output.note('The page is not built, so only the API is served. Build it with npm run build -w @coppice/web.\n');
    else if (!given.flag('no-open') && port !== 0 && machine.stdout.isTTY === true)
      void openPage(listening, machine.env);
    await serverEnded(machine.signal);
    return null;
  },
});

/** The next steps for a user who typed only `coppice`. */
const welcome: readonly string[] = [
  'Coppice keeps every chat with a language model as a tree.',
  '  coppice chat            chat in this terminal',
  '  coppice import <file>   bring in chats from other programs',
  '  coppice ls              list your chats',
  '  coppice --help          everything else',
];

/** Returns the token of COPPICE_TOKEN, or the one stored next to the configuration. */
async function tokenAuth(at: CliContext): Promise<TokenAuth> {
  const { env, home } = at.host;
  const chosen = env['COPPICE_TOKEN'];
  if (chosen !== undefined) return { mode: 'token', token: chosen, chosen: true };
  const local = await openLocalToken(localTokenPath({ env, home }));
  return {
    mode: 'token',
    get token() {
      return local.current;
    },
    chosen: false,
    renew: () => local.renew(),
    sync: () => local.sync(),
  };
}

type TokenAuth = Extract<ServeOptions['auth'], { readonly mode: 'token' }>;

/** Listens on the default port, or on a free one if it is in use. An explicit port is never replaced. */
async function startServer(
  listen: (options: ServeOptions) => Promise<RunningServer>,
  options: ServeOptions,
  port: number | undefined,
): Promise<RunningServer> {
  if (port !== undefined) return listen({ ...options, port });
  try {
    return await listen({ ...options, port: defaultPort });
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE')) throw thrown;
    return listen({ ...options, port: 0 });
  }
}

function printAddress({ port, url, signInUrl }: RunningServer, token: string, at: CliContext, asData: boolean): void {
  const { output } = at;
  if (asData || at.options.json) {
    output.json({ port, token, url });
    return;
  }
  output.print(`${output.style.active('❧')} Coppice is at ${output.style.strong(signInUrl ?? url)}`);
  // A URL without a token gives no access.
  const who =
    signInUrl === null
      ? 'Each user signs in with a token.'
      : 'Everyone who has this URL can read and write your chats.';
  output.print(output.style.quiet(`${who} Press Ctrl-C to stop.`));
}

function serverEnded(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
