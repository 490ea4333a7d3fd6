/** Keys and URLs that a user enters, their storage, and the live configuration. */
export {
  type CheckedConnection,
  type ConnectionInput,
  type ConnectionRules,
  type LocalModelServer,
  localModelServers,
} from './connections.ts';
export * from './contract.ts';
export {
  createEncryptedSecretRecords,
  openRecordSecret,
  type RecordSecret,
  recordSecretPath,
  reencryptSecretRecords,
} from './encrypted-records.ts';
export { createFileSecretRecords, keysFilePath, sharedKeysFilePath } from './file-records.ts';
export { findLocalModels } from './find-local.ts';
export {
  type ChosenLimits,
  type ChosenModels,
  createFoundModelRecords,
  foundModelsPath,
  type LiveConfig,
  type LiveConfigOptions,
  openLiveConfig,
} from './live-config.ts';
export { type LocalToken, localTokenPath, openLocalToken, renewLocalToken } from './local-token.ts';
export { isPrivateAddress, isPrivateIp } from './private-address.ts';
export type { ToolDecision, ToolServerInput } from './tool-records.ts';
