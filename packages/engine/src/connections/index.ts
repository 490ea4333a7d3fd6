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
  createEncryptedRecords,
  openRecordSecret,
  type RecordSecret,
  recordSecretPath,
  reencryptRecords,
} from './encrypted-records.ts';
export { createFileRecords, keysFilePath, sharedKeysFilePath } from './file-records.ts';
export { findLocalModels } from './find-local.ts';
export {
  type ChosenModels,
  createFoundModelRecords,
  foundModelsPath,
  type LimitChoices,
  type LiveConfig,
  type LiveConfigOptions,
  openLiveConfig,
} from './live-config.ts';
export { type LocalToken, localTokenPath, openLocalToken, renewLocalToken } from './local-token.ts';
export { isPrivateAddress, isPrivateIp } from './private-address.ts';
export type { ToolDecision, ToolServerInput } from './tool-records.ts';
