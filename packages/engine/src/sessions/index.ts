/** Session files: managers, agent sessions, and conversion from and to other tools. */
export { AgentSession, type AgentSessionOptions, type BranchInPlaceOptions } from './agent-session.ts';
export type * from './contract.ts';
export { type ConvertOptions, convertSession, type ExportLoss, exportForPi } from './convert.ts';
export {
  addHooks,
  type HookEventContext,
  type HookLoading,
  type HookPlace,
  type HookSession,
  hookContext,
  loadHooks,
  type SessionHooks,
} from './hooks.ts';
export { SessionManager } from './manager.ts';
export { sessionCopies, storeCopies } from './session-copies.ts';
export { createHookPlace, type SessionHookPlace, type SessionPlaceOptions } from './session-hook-place.ts';
export {
  type SyncOptions,
  type SyncResult,
  sessionFormat,
  syncSessionToStore,
  syncTreeToSession,
  type TreePart,
  writeTreeAsSession,
} from './sync.ts';
