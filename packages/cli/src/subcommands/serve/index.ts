import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Listening, ServeOptions } from '@coppice/server';
import { openPage } from '../../browser.ts';
import type { CliContext } from '../../cli-context.ts';
import { createExampleTree } from '../../example-tree.ts';
import { usageError } from '../../exit-codes.ts';
import { spillFolderOf } from '../../failed-calls.ts';
import { openTools } from '../../mcp-tools.ts';
import { webFolder } from '../../web-folder.ts';
import { defineSubcommand } from '../contract.ts';

/** Where the page is found again, unless something else is there. */
const usualPort = 4747;

/** What is written down of what happens: nothing but faults if nobody asks. */
const levels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

export const serve = defineSubcommand({
  name: 'serve',
  summary: 'start the server and open the page (what coppice alone does)',
  group: 'Chat',
  begins: true,
  options: [
    {
      name: 'port',
      value: 'number',
      summary: `port (default ${usualPort}, if free); 0 takes any and prints {"port","token"}`,
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
      summary: 'web origin that may call the API (default: none)',
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
    { name: 'no-example', summary: 'do not create the example conversation in an empty store' },
  ],
  examples: [
    'coppice',
    'coppice serve --port 8080 --no-open',
    'coppice serve --port 0',
    'coppice serve --users --host 0.0.0.0 --allow-host trees.example.org --log info',
  ],
  async run(given, at) {
    const { host: machine, output } = at;
    const port = given.count('port');
    if (port !== undefined && port > 65_535) throw usageError(`Invalid port ${port}. Use a number up to 65535.`);
    const level = given.optional('log') ?? 'error';
    if (!levels.some((known) => known === level))
      throw usageError(`Unknown log level ${level}. Use one of ${levels.join(', ')}.`);
    const proxies = given.many('sign-in-proxy');
    if (proxies.length > 0 && !given.flag('users'))
      throw usageError('--sign-in-proxy works only with --users. Add --users.');
    // Loaded when it is asked for, here and wherever else it is needed: no other subcommand waits for a server.
    const { createLog, makeFirstAdmin, serve: listen } = await import('@coppice/server');
    const [store, config, providers] = [await at.store(), await at.config(), await at.providers()];
    const readOnly = (await store.info()).readOnly;
    if (!given.flag('no-example') && !readOnly && port !== 0) await createExampleTree(store, at.context());
    const chosen = machine.env['COPPICE_TOKEN'];
    const token = chosen ?? randomBytes(32).toString('base64url');
    const web = webFolder();
    const host = given.optional('host');
    const { tools, mcp } = await openTools(at);
    const proxy = { addresses: proxies, userHeader: given.optional('user-header') ?? 'x-forwarded-user' };
    const options: ServeOptions = {
      tools,
      ...(mcp === null ? {} : { mcp }),
      store,
      ...(readOnly ? {} : { storeUrl: await at.storeUrl() }),
      config,
      providers,
      hosts: given.many('allow-host'),
      origins: given.many('allow-origin'),
      log: createLog({ level, to: { write: (line) => void machine.stderr.write(line) } }),
      auth: given.flag('users')
        ? { mode: 'users', ...(proxies.length === 0 ? {} : { proxy }) }
        : { mode: 'token', token, chosen: chosen !== undefined },
      ...(web === null ? {} : { web }),
      // On many systems the folder for temporary files is memory; an upload may be larger than that.
      spool: join(machine.home, '.coppice', 'spool'),
      spillFolder: await spillFolderOf(at),
      ...(host === undefined ? {} : { host }),
    };
    const listening = await startServer(listen, options, port);
    at.onClose(() => listening.close());
    // Nobody could make the first user of a server that asks everybody who they are. Made after the address was opened: a
    // token that is shown once would be lost with a port that is taken.
    const admin = given.flag('users') ? await makeFirstAdmin(store, at.context()) : null;
    if (admin !== null) output.note(`The first user is admin. This token is shown only once: ${admin}\n`);
    printAddress(listening, given.flag('users') ? (admin ?? '') : token, at, port === 0);
    if (web === null)
      output.note('The page is not built, so only the API is served. Build it with npm run build -w @coppice/web.\n');
    else if (!given.flag('no-open') && port !== 0 && machine.stdout.isTTY === true) openPage(listening, machine.env);
    await serverEnded(machine.signal);
    return null;
  },
});

/** The usual port, or any if that is taken; a port that was asked for is a must. */
async function startServer(
  listen: (options: ServeOptions) => Promise<Listening>,
  options: ServeOptions,
  port: number | undefined,
): Promise<Listening> {
  if (port !== undefined) return listen({ ...options, port });
  try {
    return await listen({ ...options, port: usualPort });
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE')) throw thrown;
    return listen({ ...options, port: 0 });
  }
}

function printAddress({ port, url, signInUrl }: Listening, token: string, at: CliContext, asData: boolean): void {
  const { output } = at;
  if (asData || at.options.json) {
    output.json({ port, token, url });
    return;
  }
  output.print(`${output.style.active('❧')} Coppice is at ${output.style.strong(signInUrl ?? url)}`);
  // An address without a token lets nobody in.
  const who =
    signInUrl === null ? 'Everybody signs in with a token.' : 'Whoever has this address can read and write your trees.';
  output.print(output.style.quiet(`${who} Press Ctrl-C to stop.`));
}

function serverEnded(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
