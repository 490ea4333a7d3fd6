/** The public names of engine, in reading order. */

// Providers: what they are asked and what they answer.
export {
  type Catalogue,
  type CatalogueRow,
  type Cost,
  costOf,
  createCatalogue,
  type ModelCapabilities,
  type ModelInfo,
  type ModelOverride,
  type Price,
} from './catalogue/index.ts';
export { loadCatalogue } from './catalogue/load.ts';
export { parseCatalogue } from './catalogue/rows.ts';
export type * from './config/contract.ts';
export { type ConfigSource, configPath, type Env, loadConfig, parseConfig } from './config/load.ts';
export { Hidden, Secret } from './config/secret.ts';
// The tree by its nodes' ids, and as topics with messages.
export * from './forest/index.ts';
export { type Connection, defaultLimits as defaultHttpLimits, type HttpLimits } from './http/contract.ts';
export { redact } from './http/redact.ts';
export { systemClock } from './providers/clock.ts';
export * from './providers/contract.ts';
export { defineProvider } from './providers/define.ts';
export { abortedEvent, errorEvent, errorFrom } from './providers/errors.ts';
export { collectReply, foldReply, type ProvedThinking, type Reply, type ReplyFold } from './providers/fold.ts';
export {
  createProviders,
  listModels,
  type Model,
  type ModelCall,
  type ModelChoice,
  offlineModel,
  type Providers,
  type ProvidersOptions,
} from './providers/index.ts';
export { providerDefinitions } from './providers/registry.ts';
export { isMalformed, type MalformedToolUse, parseToolArguments } from './providers/tool-arguments.ts';
export type { ServiceOptions } from './service.ts';
// Tools: what models may call.
export * from './tools/index.ts';
