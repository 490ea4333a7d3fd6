/**
 * Builds the records of MCP servers and tool approvals that a user set on the page, and adds them to the configuration.
 */
import type { JsonObject } from '@coppice/core';
import { getTextMember, getTexts, isJsonObject } from '@coppice/core/decode';
import type { Config, McpServerConfig } from '../config/contract.ts';
import { findSecretArguments, findSecretSettings, Secret, wrapServerVariable } from '../config/secret.ts';
import { isWebAddress } from '../config/sections.ts';
import type { ConnectionRules } from './connections.ts';
import { makeKeysError } from './contract.ts';
import { isPrivateAddress } from './private-address.ts';

/** What a user entered to add an MCP server: a URL, or a command with its arguments. */
export type ToolServerInput = { readonly name: string } & (
  | { readonly url: string; readonly key?: string | undefined }
  | { readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> | undefined }
);

/** Whether calls of a tool ask for approval, run without it, or never run. */
export type ToolDecision = 'ask' | 'allow' | 'never';

/** Returns the id under which an MCP server is stored. */
export function toolServerId(name: string): string {
  return `mcp/${name}`;
}

/** The id of the record with all decisions about tools. */
export const toolDecisionsId = 'setting/tools';

/**
 * Validates the input and returns the record to store. Throws on a name that the configuration uses, and on an address
 * that is not allowed here. The caller must check first whether the user may add a command.
 */
export function checkToolServer(
  input: ToolServerInput,
  config: Config,
  kept: JsonObject | undefined,
  rules: ConnectionRules,
  now: number,
): JsonObject {
  const { name } = input;
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(name) || /__|_$/.test(name))
    throw makeKeysError('keys/invalid', 'A name has up to 32 letters, digits, - and _, no __ and no _ at its end.');
  const configured = config.mcpServers.get(name);
  if (configured !== undefined && configured.fromPage !== true)
    throw makeKeysError('keys/configured', `The server ${name} is in the configuration file; change it there.`, {
      name,
    });
  if ('command' in input) {
    const { command, env = {} } = input;
    if (command.length === 0 || command[0] === '' || command.some((word) => word.includes('\0')))
      throw makeKeysError('keys/invalid', 'The command is empty; enter a program and its arguments.');
    for (const variable of Object.keys(env))
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
        throw makeKeysError('keys/invalid', 'A variable has letters, digits and _, and begins with no digit.');
    return { command: [...command], env: { ...env }, addedAt: now };
  }
  const url = input.url.trim();
  if (!isWebAddress(url))
    throw makeKeysError(
      'keys/invalid',
      'Enter an address that begins with http:// or https:// and contains no user name or password.',
    );
  if (!rules.privateAddresses && isPrivateAddress(new URL(url).hostname))
    throw makeKeysError(
      'keys/address',
      'Addresses of this machine and of private networks come from the configuration of the operator.',
    );
  const { origin } = new URL(url);
  const entered = input.key?.trim();
  if (entered !== undefined && entered !== '' && !/^[\x21-\x7e]{1,8192}$/.test(entered))
    throw makeKeysError('keys/invalid', 'The key may contain only visible ASCII characters and no spaces.');
  const before = getTextMember(kept, 'origin') === origin ? getTextMember(kept, 'key') : undefined;
  const key = entered === undefined || entered === '' ? before : entered;
  return { url, origin, ...(key === undefined ? {} : { key }), addedAt: now };
}

/**
 * Returns the configuration with the stored MCP servers and decisions added. Servers of the configuration file win over
 * stored ones of the same name, and invalid records are left out.
 */
export function withToolRecords(
  config: Config,
  records: ReadonlyMap<string, JsonObject>,
  rules: ConnectionRules,
): Config {
  const mcpServers = new Map(config.mcpServers);
  for (const [id, record] of records) {
    const [, name] = /^mcp\/(.+)$/.exec(id) ?? [];
    if (name === undefined || mcpServers.has(name)) continue;
    const server = toMcpServerConfig(name, record, rules);
    if (server !== null) mcpServers.set(name, server);
  }
  const decisions = new Map<string, string>();
  for (const [tool, decision] of Object.entries(records.get(toolDecisionsId) ?? {}))
    if (typeof decision === 'string') decisions.set(tool, decision);
  if (decisions.size === 0) return { ...config, mcpServers };
  // The user's decision replaces the `allow` of the file, but cannot allow what the operator's `deny` names.
  const named = (decision: ToolDecision) =>
    [...decisions].filter(([, each]) => each === decision).map(([tool]) => tool);
  const tools = {
    ...config.tools,
    allow: [...config.tools.allow.filter((tool) => !decisions.has(tool)), ...named('allow')],
    deny: [...config.tools.deny, ...named('never')],
  };
  return { ...config, mcpServers, tools };
}

function toMcpServerConfig(name: string, record: JsonObject, rules: ConnectionRules): McpServerConfig | null {
  const common = { name, enabled: true, timeoutMs: 60_000, autoApprove: [], fromPage: true };
  const command = getTexts(record, 'command');
  if (command.length > 0) {
    const env = isJsonObject(record['env']) ? record['env'] : {};
    const values = Object.entries(env).map(([key, value]) => [key, wrapServerVariable(key, String(value))] as const);
    const secrets = findSecretSettings(findSecretArguments(command));
    return { ...common, transport: 'stdio', command, cwd: undefined, env: new Map(values), passEnv: [], secrets };
  }
  const [url, origin, key] = [
    getTextMember(record, 'url'),
    getTextMember(record, 'origin'),
    getTextMember(record, 'key'),
  ];
  if (url === undefined || origin === undefined || !isWebAddress(url)) return null;
  return {
    ...common,
    transport: 'http',
    url,
    headers: {},
    secrets: findSecretSettings(new URL(url).searchParams),
    ...(key === undefined ? {} : { key: new Secret(key, origin) }),
    ...(rules.privateAddresses ? {} : { publicOnly: true }),
  };
}
