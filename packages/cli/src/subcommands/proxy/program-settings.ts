/** Computes the settings with which a known program sends its model calls to Coppice: variables, arguments, headers. */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { FieldMap } from '@coppice/core';
import { fieldsOrEmpty, isFieldMap } from '@coppice/core/decode';
import type { Config } from '@coppice/engine';
import { makeUsageError } from '../../exit-codes.ts';

type ServiceName = 'openai' | 'anthropic' | 'google';

/** The variable with the token, for programs whose settings can refer to a variable. Other users can see arguments. */
const tokenVariable = 'COPPICE_PROXY_TOKEN';
const tokenHeader = 'x-coppice-token';
const sessionHeader = 'x-coppice-session';
const programHeader = 'x-coppice-program';
const runHeader = 'x-coppice-run';

/** The address and token of the proxy, and the keys that Coppice has. */
interface ProxyAddress {
  /** The URL with the project, without the version. */
  readonly base: string;
  readonly token: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether Coppice has a key of its own for a service. */
  hasKey(service: ServiceName): boolean;
}

/** The environment and arguments with which a program is started, besides its own arguments. */
export interface ProgramSettings {
  /** Changes of the environment; undefined removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Arguments that precede the program's own. */
  readonly words: readonly string[];
  /** A settings file, for a program that reads settings only from a file. The caller adds its path to `words`. */
  readonly extension?: { readonly option: string; readonly name: string; readonly text: string };
}

/** A program that Coppice knows how to configure. */
interface KnownProgram {
  /** The services that get the program's own key if Coppice has none. The program sends the token in another header. */
  readonly keepsKeys: readonly ServiceName[];
  settings(at: ProxyAddress): ProgramSettings;
}

/** Adds headers to a variable that may already contain headers. */
function addHeaders(present: string | undefined, separator: string, headers: Readonly<Record<string, string>>): string {
  const added = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [...(present === undefined || present.trim() === '' ? [] : [present]), ...added].join(separator);
}

/**
 * Configures Claude Code. A key of Coppice replaces its own. Without one its sign-in or key is kept, and the token is
 * sent in another header.
 */
function claudeSettings({ base, token, env, hasKey }: ProxyAddress): ProgramSettings {
  const address = { ANTHROPIC_BASE_URL: base };
  if (hasKey('anthropic'))
    return { env: { ...address, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: undefined }, words: [] };
  const headers = {
    ANTHROPIC_CUSTOM_HEADERS: addHeaders(env['ANTHROPIC_CUSTOM_HEADERS'], '\n', { [tokenHeader]: token }),
  };
  return { env: { ...address, ...headers }, words: [] };
}

/**
 * Configures Codex. It reads the address and headers of a provider only from its configuration, which arguments can
 * override.
 */
function codexSettings({ base, token, env, hasKey }: ProxyAddress): ProgramSettings {
  const override = (key: string, value: string) => ['-c', `${key}=${value}`];
  const at = (key: string, value: string) => override(`model_providers.coppice.${key}`, value);
  const isOurs = hasKey('openai');
  const signIn = isOurs
    ? at('env_key', JSON.stringify(tokenVariable))
    : [
        ...at('env_http_headers', `{ ${JSON.stringify(tokenHeader)} = ${JSON.stringify(tokenVariable)} }`),
        ...(env['OPENAI_API_KEY'] === undefined
          ? at('requires_openai_auth', 'true')
          : at('env_key', '"OPENAI_API_KEY"')),
      ];
  return {
    env: { [tokenVariable]: token },
    words: [
      ...override('model_provider', '"coppice"'),
      ...at('name', '"OpenAI through Coppice"'),
      ...at('base_url', JSON.stringify(`${base}/v1`)),
      ...at('wire_api', '"responses"'),
      ...signIn,
    ],
  };
}

/** Configures Gemini CLI with an API key. When it is signed in with a Google account, it calls another service. */
function geminiSettings({ base, token, env, hasKey }: ProxyAddress): ProgramSettings {
  const address = { GOOGLE_GEMINI_BASE_URL: base };
  // It sends no session id. With this header its side calls are recorded with the session.
  const run = { [runHeader]: randomUUID() };
  const headers = (more: Readonly<Record<string, string>>) => ({
    GEMINI_CLI_CUSTOM_HEADERS: addHeaders(env['GEMINI_CLI_CUSTOM_HEADERS'], ', ', { ...run, ...more }),
  });
  if (hasKey('google')) return { env: { ...address, GEMINI_API_KEY: token, ...headers({}) }, words: [] };
  return { env: { ...address, ...headers({ [tokenHeader]: token }) }, words: [] };
}

const services: readonly ServiceName[] = ['openai', 'anthropic', 'google'];
const versions: Readonly<Record<ServiceName, string>> = { openai: 'v1', anthropic: 'v1', google: 'v1beta' };

/** Configures opencode. It merges the configuration of a variable over that of its files. */
function opencodeSettings({ base, token, env, hasKey }: ProxyAddress): ProgramSettings {
  const variable = 'OPENCODE_CONFIG_CONTENT';
  const config = objectIn(variable, env[variable]);
  const present = fieldsOrEmpty(config['provider']);
  const provider: Record<string, unknown> = { ...present };
  for (const service of services) {
    const before = fieldsOrEmpty(provider[service]);
    const options = fieldsOrEmpty(before['options']);
    const headers = fieldsOrEmpty(options['headers']);
    const read = `{env:${tokenVariable}}`;
    const signIn = hasKey(service) ? { apiKey: read } : { headers: { ...headers, [tokenHeader]: read } };
    provider[service] = {
      ...before,
      options: { ...options, baseURL: `${base}/${versions[service]}`, ...signIn },
    };
  }
  return {
    env: { [variable]: JSON.stringify({ ...config, provider }), [tokenVariable]: token },
    words: [],
  };
}

function objectIn(variable: string, text: string | undefined): FieldMap {
  if (text === undefined || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isFieldMap(value)) return value;
  } catch {
    // Invalid JSON is reported below, together with JSON that is not an object.
  }
  throw makeUsageError(`The variable ${variable} is not a JSON object, so the address cannot be added to it.`);
}

const keyVariables: Readonly<Record<ServiceName, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GEMINI_API_KEY',
};

/** The path that pi's providers expect after the base URL. Anthropic's client adds the version itself. */
const piPaths: Readonly<Record<ServiceName, string>> = { openai: '/v1', anthropic: '', google: '/v1beta' };

/**
 * Configures pi. It reads the address of a provider from an extension. The extension also sends the session, because pi
 * itself sends no id.
 */
function piSettings({ base, token, hasKey }: ProxyAddress): ProgramSettings {
  const providers = services.map((service) => ({
    name: service,
    baseUrl: `${base}${piPaths[service]}`,
    header: !hasKey(service),
  }));
  // Its user agent is that of its HTTP library, so the program is named here.
  const named = JSON.stringify({ [programHeader]: 'pi' });
  const text = `const token = { ${JSON.stringify(tokenHeader)}: process.env.${tokenVariable} };
export default (pi) => {
  const register = (session) => {
    for (const { name, baseUrl, header } of ${JSON.stringify(providers)})
      pi.registerProvider(name, { baseUrl, headers: { ...(header ? token : {}), ...${named}, ...session } });
  };
  register({});
  pi.on('session_start', (_event, { sessionManager }) => {
    const id = sessionManager.getSessionId();
    register(id ? { ${JSON.stringify(sessionHeader)}: id } : {});
  });
};
`;
  const ours = services.filter(hasKey);
  return {
    env: {
      [tokenVariable]: token,
      ...Object.fromEntries(ours.map((service) => [keyVariables[service], token])),
      // pi would use this token instead of ours.
      ...(hasKey('anthropic') ? { ANTHROPIC_OAUTH_TOKEN: undefined } : {}),
    },
    words: [],
    extension: { option: '-e', name: 'coppice-proxy.mjs', text },
  };
}

/** Configures aider. It cannot send our headers, so the token is sent as its key. */
function aiderSettings({ base, token }: ProxyAddress): ProgramSettings {
  return {
    env: {
      OPENAI_API_BASE: `${base}/v1`,
      OPENAI_API_KEY: token,
      ANTHROPIC_API_BASE: base,
      ANTHROPIC_API_KEY: token,
    },
    words: [],
  };
}

/** Configures any other program: sets the variables that the clients of OpenAI, Anthropic and Google read. */
function otherSettings({ base, token, hasKey }: ProxyAddress): ProgramSettings {
  return {
    env: {
      OPENAI_BASE_URL: `${base}/v1`,
      OPENAI_API_BASE: `${base}/v1`,
      ANTHROPIC_BASE_URL: base,
      OPENAI_API_KEY: token,
      ANTHROPIC_API_KEY: token,
      ...(hasKey('google') ? { GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: token } : {}),
      // The client would use the user's own token instead of ours.
      ANTHROPIC_AUTH_TOKEN: undefined,
    },
    words: [],
  };
}

const knownPrograms: ReadonlyMap<string, KnownProgram> = new Map([
  ['claude', { keepsKeys: ['anthropic'], settings: claudeSettings }],
  ['codex', { keepsKeys: ['openai'], settings: codexSettings }],
  ['gemini', { keepsKeys: ['google'], settings: geminiSettings }],
  ['opencode', { keepsKeys: services, settings: opencodeSettings }],
  ['pi', { keepsKeys: services, settings: piSettings }],
  ['aider', { keepsKeys: [], settings: aiderSettings }],
]);

/** Returns a program by its file name. Unknown programs get the variables that common clients read. */
export function findKnownProgram(program: string | undefined): KnownProgram {
  const name = basename(program ?? '').replace(/\.(?:exe|cmd|bat|ps1|js|mjs)$/i, '');
  return knownPrograms.get(name) ?? { keepsKeys: [], settings: otherSettings };
}

/** Whether Coppice has a key for a service and for the host to which its calls are forwarded. */
export function hasServiceKey(
  { providers, proxy }: Pick<Config, 'providers' | 'proxy'>,
  service: ServiceName,
): boolean {
  const key = providers.get(service)?.key;
  const address = proxy[service];
  return key !== undefined && (address === undefined || new URL(address).origin === key.origin);
}

const publicAddresses: Readonly<Record<ServiceName, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
};

/**
 * Returns the configuration with the public address of each service that gets the program's own key, unless an address
 * is set.
 */
export function addPublicServiceAddresses(config: Config, { keepsKeys }: KnownProgram): Config {
  const unset = keepsKeys.filter((service) => !hasServiceKey(config, service) && config.proxy[service] === undefined);
  const addresses = Object.fromEntries(unset.map((service) => [service, publicAddresses[service]]));
  return { ...config, proxy: { ...config.proxy, ...addresses } };
}
