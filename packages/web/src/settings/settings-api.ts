/** The API of the settings: connections, model choices, signing in and out, tools, people, tokens and limits. */
import { type ApiSchemas, readResponse } from '@coppice/client';
import type { ModelConnection } from '../state/connections.ts';
import { routes } from '../state/page-client.ts';

/** The model choices; null uses the configuration. */
export interface ModelChoices {
  readonly defaultModel: string | null;
  readonly titleModel: string | null;
}

/** All connections, and where their keys are stored. */
export interface ConnectionList {
  readonly items: readonly ModelConnection[];
  readonly keptIn: 'file' | 'encrypted' | 'memory' | null;
  readonly privateAddresses: boolean;
  readonly models: ModelChoices;
  readonly problem: string | null;
}

/** What a form sends about a connection. A field that the user left empty is missing. */
export interface ConnectionFields {
  readonly address?: string;
  readonly key?: string;
  readonly label?: string;
}

/** The result of testing a URL and a key. */
export interface ConnectionTestOutcome {
  readonly models: readonly string[];
  readonly problem: { readonly code: string; readonly message: string } | null;
}

/** The signed-in user, and the mode of the server. */
export interface SignedInUser {
  readonly id: string;
  readonly name: string;
  readonly role: 'admin' | 'member' | 'viewer';
  readonly mode: 'token' | 'users';
}

/** Requests for settings. Each rejects with a `HttpProblem`. */
export const settingsApi = {
  connections: () => readResponse<ConnectionList>(routes.GET('/api/connections')),
  test: (name: string, fields: ConnectionFields) =>
    readResponse<ConnectionTestOutcome>(routes.POST('/api/connections/test', { body: { name, ...fields } })),
  connect: (name: string, fields: ConnectionFields) =>
    readResponse<ConnectionTestOutcome>(
      routes.PUT('/api/connections/{name}', { params: { path: { name } }, body: { ...fields } }),
    ),
  disconnect: (name: string) =>
    readResponse<ConnectionList>(routes.DELETE('/api/connections/{name}', { params: { path: { name } } })),
  chooseModels: (choices: Partial<ModelChoices>) =>
    readResponse<ModelChoices>(routes.PUT('/api/settings/models', { body: { ...choices } })),
  me: () => readResponse<SignedInUser>(routes.GET('/api/me')),
  signInMode: () => readResponse<Pick<SignedInUser, 'mode'>>(routes.GET('/api/sign-in')),
  signIn: (token: string) => readResponse<SignedInUser>(routes.POST('/api/sign-in', { body: { token } })),
  signOut: () => readResponse<{ readonly signedOut: boolean }>(routes.POST('/api/sign-out')),
  signOutEverywhere: () => readResponse<{ readonly ended: number | null }>(routes.POST('/api/sign-out-everywhere')),
};

export type ToolServer = ApiSchemas['ToolServer'];
export type ServerTool = ApiSchemas['ServerTool'];
export type ToolDecision = ServerTool['decision'];

/** All MCP servers, and whether servers can be added by URL and by command on this page. */
export interface ToolServerList {
  readonly servers: readonly ToolServer[];
  readonly mayAdd: { readonly addresses: boolean; readonly commands: boolean };
}

/** The fields of a new tool server: a URL, or a command that is confirmed with the token. */
export type ToolServerFields =
  | { readonly url: string; readonly key?: string }
  | { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>>; readonly token: string };

/** The requests about tools. Each rejects with a `HttpProblem`. */
export const toolsApi = {
  servers: () => readResponse<ToolServerList>(routes.GET('/api/mcp')),
  add: (name: string, fields: ToolServerFields) =>
    readResponse<ToolServerList>(
      routes.PUT('/api/mcp/servers/{name}', {
        params: { path: { name } },
        body: 'url' in fields ? { ...fields } : { ...fields, command: [...fields.command] },
      }),
    ),
  remove: (name: string) =>
    readResponse<ToolServerList>(routes.DELETE('/api/mcp/servers/{name}', { params: { path: { name } } })),
  test: (name: string) =>
    readResponse<ToolServerList>(routes.POST('/api/mcp/servers/{name}/test', { params: { path: { name } } })),
  approve: (tool: string, hash: string) =>
    readResponse<{ readonly approved: number }>(routes.POST('/api/mcp/approvals', { body: { tool, hash } })),
  decide: (name: string, decision: ToolDecision) =>
    readResponse<{ readonly decision: ToolDecision }>(
      routes.PUT('/api/tools/{name}/decision', { params: { path: { name } }, body: { decision } }),
    ),
};

export type Person = ApiSchemas['User'];
/** A token, without its secret. */
export type AccessToken = ApiSchemas['Token'];

/** The use of models by one person. */
export interface ModelUse {
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
}

/** The use of models by all people. */
export interface UsageList {
  readonly days: number;
  readonly items: readonly { readonly userId: string; readonly today: ModelUse; readonly period: ModelUse }[];
}

/** The limits that can be set here; null means none. */
export interface UserLimits {
  readonly dayUsd: number | null;
  readonly requestsPerMinute: number | null;
  readonly uploadBytesPerDay: number | null;
  readonly generations: number | null;
}

/** The limits that an admin set, and the limits in force, which the operator may have lowered. */
export interface LimitsView {
  readonly chosen: UserLimits;
  readonly inForce: UserLimits;
  readonly editable: boolean;
}

/** The requests about people and tokens. Each rejects with a `HttpProblem`. */
export const peopleApi = {
  list: () => readResponse<{ readonly items: readonly Person[] }>(routes.GET('/api/users')),
  add: (body: { readonly id?: string; readonly name: string; readonly role: Person['role'] }) =>
    readResponse<{ readonly user: Person; readonly token: string }>(routes.POST('/api/users', { body })),
  change: (id: string, body: { readonly name?: string; readonly role?: Person['role']; readonly disabled?: boolean }) =>
    readResponse<{ readonly user: Person }>(routes.PATCH('/api/users/{id}', { params: { path: { id } }, body })),
  tokens: (id: string) =>
    readResponse<{ readonly items: readonly AccessToken[] }>(
      routes.GET('/api/users/{id}/tokens', { params: { path: { id } } }),
    ),
  revoke: (id: string, token: string) =>
    readResponse<{ readonly token: AccessToken }>(
      routes.DELETE('/api/users/{id}/tokens/{token}', { params: { path: { id, token } } }),
    ),
  usage: () => readResponse<UsageList>(routes.GET('/api/usage')),
  limits: () => readResponse<LimitsView>(routes.GET('/api/settings/limits')),
  chooseLimits: (body: UserLimits) =>
    readResponse<LimitsView>(routes.PUT('/api/settings/limits', { body: { ...body } })),
  limitsOf: (id: string) =>
    readResponse<LimitsView>(routes.GET('/api/users/{id}/limits', { params: { path: { id } } })),
  chooseLimitsOf: (id: string, body: UserLimits) =>
    readResponse<LimitsView>(routes.PUT('/api/users/{id}/limits', { params: { path: { id } }, body: { ...body } })),
  ownTokens: () => readResponse<{ readonly items: readonly AccessToken[] }>(routes.GET('/api/tokens')),
  addToken: (body: { readonly name: string; readonly expiresAt: number | null }) =>
    readResponse<{ readonly token: AccessToken; readonly secret: string }>(routes.POST('/api/tokens', { body })),
  revokeOwn: (id: string) =>
    readResponse<{ readonly token: AccessToken }>(routes.DELETE('/api/tokens/{id}', { params: { path: { id } } })),
};
