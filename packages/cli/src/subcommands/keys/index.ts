import { AppError } from '@coppice/core';
import type { LiveConfig, ProviderConfig } from '@coppice/engine';
import { localModelServers, providerDefinitions, reencryptSecretRecords } from '@coppice/engine';
import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { readSecret } from '../../terminal/read-secret.ts';
import { defineSubcommand, type SubcommandInput, type SubcommandOutput } from '../contract.ts';

const actions = ['list', 'set', 'remove', 'rotate'] as const;

export const keys = defineSubcommand({
  name: 'keys',
  summary: 'list, set, remove or rotate API keys (shared with the page)',
  worksOn: 'this-computer',
  insteadOnServer: (server) =>
    `It concerns the keys of this computer. Run it on the computer of the server, or open Settings, Models on ${server}.`,
  group: 'Manage',
  arguments: [
    { name: 'action', summary: `${actions.join(', ')} (default: list)`, optional: true, completes: actions },
    {
      name: 'provider',
      summary: 'provider, such as openai, or any name for a server of your own',
      optional: true,
      completes: [...providerDefinitions, ...localModelServers].map(({ name }) => name),
    },
  ],
  options: [
    { name: 'address', value: 'url', summary: 'address of the server, such as http://127.0.0.1:8000/v1' },
    { name: 'label', value: 'text', summary: 'name that lists show for the provider' },
    { name: 'users', summary: 'the encrypted keys of a server with several users (coppice serve --users)' },
  ],
  examples: [
    'coppice keys',
    'coppice keys set openai < key.txt',
    'coppice keys set vllm --address http://127.0.0.1:8000/v1',
    'coppice keys remove openai',
    'coppice keys rotate --users',
  ],
  async run(given, at) {
    const action = given.optional('action') ?? 'list';
    if (action === 'rotate') return rotateKeys(given, at);
    const live = await (given.flag('users') ? at.sharedLive() : at.live());
    if (action === 'list') return listKeys(live, at);
    const name = given.optional('provider');
    if (action !== 'set' && action !== 'remove')
      throw makeUsageError(`Unknown action ${action}. Use one of ${actions.join(', ')}.`);
    if (name === undefined) throw makeUsageError(`Name the provider, as in coppice keys ${action} openai.`);
    return action === 'set' ? setKey(live, name, given, at) : removeKey(live, name);
  },
});

/** Returns the source of a key, and its masked value. */
function describeKey({ key, keySource }: ProviderConfig): string {
  if (keySource === undefined) return 'no key';
  const shown = key?.lastFour === null || key === undefined ? 'key' : `key …${key.lastFour}`;
  if (keySource.from === 'environment') return `${shown} from ${keySource.variable}`;
  return keySource.from === 'file' ? `${shown} from the configuration file` : shown;
}

function listKeys(live: LiveConfig, at: CliContext): SubcommandOutput {
  const found = [...live.current.providers.values()].filter(
    ({ key, fromPage }) => key !== undefined || fromPage === true,
  );
  const { style, foreign } = at.output;
  return {
    data: {
      items: found.map(({ name, kind, baseUrl, key, keySource }) => ({
        name,
        kind,
        address: baseUrl ?? null,
        lastFour: key?.lastFour ?? null,
        from: keySource ?? null,
      })),
    },
    lines:
      found.length === 0
        ? ['No keys yet. Add one with coppice keys set openai, or on the page under Settings, Models.']
        : found.map((provider) => {
            const address = provider.baseUrl === undefined ? '' : `  ${foreign(provider.baseUrl)}`;
            return `${style.strong(provider.name)}  ${describeKey(provider)}${style.quiet(address)}`;
          }),
  };
}

async function readKey(label: string, at: CliContext): Promise<string> {
  if (at.host.stdin.isTTY === true)
    return readSecret(at.host, `Paste the key of ${label} and press Enter (it is not shown): `);
  return (await at.input()).trim();
}

/** Reads the key from standard input, never from the command line, which other users can see. */
async function setKey(
  live: LiveConfig,
  name: string,
  given: SubcommandInput,
  at: CliContext,
): Promise<SubcommandOutput> {
  const address = given.optional('address');
  const definition = providerDefinitions.find((each) => each.name === name);
  const wantsKey = definition?.keyRequired === true || at.host.stdin.isTTY !== true;
  const key = wantsKey ? await readKey(definition?.label ?? name, at) : '';
  const checked = await live
    .checkConnection({ name, address, label: given.optional('label'), key })
    .catch((error: unknown) => {
      if (key !== '' || !(error instanceof AppError) || error.code !== 'keys/needed' || !wantsKey) throw error;
      throw makeUsageError(`No key was given. Pass one on standard input: coppice keys set ${name} < key.txt.`);
    });
  const providers = await at.providers();
  const listed = await providers.tryConnection(checked.section, { signal: at.host.signal }).then(
    (models) => ({ models: models.map(({ id }) => id), problem: null }),
    (error: unknown) => ({ models: [], problem: error instanceof Error ? error.message : String(error) }),
  );
  await live.keepConnection(name, checked, definition?.keyRequired === true ? [] : listed.models);
  const lines =
    listed.problem === null
      ? [`Connected ${name}: ${listed.models.length} models.`]
      : [`Saved ${name}, but its models could not be listed: ${listed.problem}`];
  return { data: { name, models: listed.models.length, problem: listed.problem }, lines };
}

/** Encrypts the keys of a shared server under a new secret. */
async function rotateKeys(given: SubcommandInput, at: CliContext): Promise<SubcommandOutput> {
  if (!given.flag('users'))
    throw makeUsageError('Only the keys of a server with users are encrypted. Use coppice keys rotate --users.');
  const { env, home } = at.host;
  const count = await reencryptSecretRecords(await at.sharedRecords(), { env, home });
  return {
    data: { rotated: count },
    lines: [`Encrypted ${count} records under a new secret. Running servers read it within seconds.`],
  };
}

async function removeKey(live: LiveConfig, name: string): Promise<SubcommandOutput> {
  const removed = await live.removeConnection(name);
  const configured = live.current.providers.get(name)?.keySource;
  const rest = configured === undefined ? '' : ` It still has a key from the ${configured.from}.`;
  if (!removed)
    throw new AppError({
      code: 'cli/no-key',
      kind: 'not-found',
      message: `There is no stored key for ${name}.${rest} List the stored keys with coppice keys.`,
    });
  return { data: { name, removed }, lines: [`Removed ${name}.${rest}`] };
}
