/** The public names for session files: managers, agent sessions, hooks, and conversion from and to other tools. */
export { AgentSession, type AgentSessionOptions, type BranchInPlaceOptions } from './agent-session.ts';
export type * from './contract.ts';
export { type ConvertOptions, convertSession, type ExportLoss, exportForPi } from './convert.ts';
export {
  addHooks,
  createHookContext,
  type HookEventContext,
  type HookHost,
  type HookLoadOptions,
  type HookSession,
  loadHooks,
  type SessionHooks,
} from './hooks.ts';
export { SessionManager } from './manager.ts';
export { createSessionCopier, createTreeCopier } from './session-copier.ts';
export { createSessionHookHost, type SessionHookHost, type SessionHookHostOptions } from './session-hook-host.ts';
export {
  type SyncOptions,
  type SyncResult,
  sessionFormat,
  syncSessionToStore,
  syncTreeToSession,
  type TreePart,
  writeTreeAsSession,
} from './sync.ts';
