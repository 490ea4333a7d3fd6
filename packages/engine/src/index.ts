/** The public names of the engine. */

export type { SignedThinking } from '@coppice/content/wires';
export { isMalformedToolUse, type MalformedToolUse, parseToolArguments } from '@coppice/content/wires';
export {
  type Catalogue,
  type CatalogueRow,
  type Cost,
  computeCost,
  createCatalogue,
  type ModelCapabilities,
  type ModelInfo,
  type ModelOverride,
  type Price,
} from './catalogue/index.ts';
export { loadCatalogue } from './catalogue/load.ts';
export { parseCatalogue } from './catalogue/rows.ts';
export * from './commands/index.ts';
export * from './compaction/index.ts';
export type * from './config/contract.ts';
export { type ConfigValue, findConfigValue, parseConfigValue, setConfigValue } from './config/edit.ts';
export {
  type ConfigSource,
  configPath,
  type EnvironmentVariables,
  findConfigProblems,
  loadConfig,
  parseConfig,
} from './config/load.ts';
export { listConfiguredKeys, Secret, SecretText } from './config/secret.ts';
export { listSettings } from './config/settings.ts';
export type { NumberBounds, Setting, SettingListener } from './config/toml.ts';
export * from './connections/index.ts';
export { endsWithin, waitForNextTask, waitMs } from './event-loop.ts';
export * from './events.ts';
export { createFileTextExtractor, type FileTextExtractor } from './files/file-text-extractor.ts';
export * from './generate/contract.ts';
export { type GenerateErrorCode, generateErrorKinds, type ReplyError } from './generate/errors.ts';
export {
  createTurnGenerator,
  type TurnGenerator,
  type TurnGeneratorOptions,
  type TurnSelector,
} from './generate/index.ts';
export { defaultGenerateLimits, type GenerateLimits } from './generate/limits.ts';
export { formatNotice, type TurnNotice } from './generate/notices.ts';
export { computeReplyLimit, type SentReplyLimit } from './generate/reply-limit.ts';
export { type CompactionSettings, toGeneratorSettings } from './generate/settings.ts';
export {
  createFileSpendingLedger,
  createMemorySpendingLedger,
  type DailyBudgetUse,
  type ModelUse,
  type SpendingLedger,
  sumModelUse,
  utcDayOf,
} from './generate/spending-ledger.ts';
export type { GenerateDefaults } from './generate/turn-options.ts';
export type { ToolSource } from './generate/turn-services.ts';
export { defaultHttpLimits, type HttpConnection, type HttpLimits } from './http/contract.ts';
export { redactKeys } from './http/redact.ts';
export * from './import/on-demand.ts';
export * from './mcp/index.ts';
export { newId } from './new-id.ts';
export { type Engine, type EngineOptions, openEngine } from './open-engine.ts';
export { type OpenedTools, type OpenToolsOptions, openTools } from './open-tools.ts';
export { accumulateReply, collectReply, type ModelReply, type ReplyAccumulator } from './providers/accumulate-reply.ts';
export { systemClock } from './providers/clock.ts';
export * from './providers/contract.ts';
export { defineProvider } from './providers/define.ts';
export { errorEventFromThrown, makeAbortedEvent, makeErrorEvent } from './providers/errors.ts';
export {
  createProviders,
  listModels,
  type Model,
  type ModelCall,
  type ModelChoice,
  type ModelProviders,
  offlineModelId,
  type ProvidersOptions,
  requireReadyModel,
} from './providers/index.ts';
export { providerDefinitions } from './providers/registry.ts';
export * from './recorded-sessions/index.ts';
export { type FollowEvent, type FollowedReply, type FollowReplyOptions, followReply } from './runs/follow.ts';
export { type RecoveredReply, type RecoveryOptions, recoverRuns } from './runs/recover.ts';
export { createSharedTimers, type SharedTimer, type SharedTimers } from './runs/shared-timer.ts';
export type { CallDecision } from './runs/tool-decisions.ts';
export { isTurnEventsRun } from './runs/turn-events.ts';
export type { ServiceOptions } from './service.ts';
export * from './summaries/index.ts';
export * from './tools/index.ts';
export { findWorkerFile, type WorkerFile } from './worker-file.ts';
