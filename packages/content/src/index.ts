export type { Block, Json, JsonObject, Message, MessageKit, Role, TextBlock } from '@coppice/core';
export { isBlank, isText, isToolUse, roles, textMessage, utf8Length } from '@coppice/core';

// Functions that parse messages.

export { parseJson } from './json-text.ts';

export { normaliseMessage, normaliseMessages } from './legacy.ts';
export { defaultLimits, type MessageLimits } from './limits.ts';
export { type MessageParseOptions, parseMessage, parseMessages, parseMessageText, toContentText } from './message.ts';

// The registry of blocks, and the types of its members.

export { type BlockDefinition, type BlockSpec, defineBlock, providerOnlyFields } from './blocks/define.ts';
export type { FileBlock, TextSource } from './blocks/file/index.ts';
export type { ImageBlock } from './blocks/image/index.ts';
export {
  blockDefinitionOf,
  blockDefinitions,
  type ContentBlock,
  isKnownBlock,
  isUnknownBlock,
  type KnownBlock,
  parseBlock,
} from './blocks/index.ts';
export {
  type Base64Source,
  type BlobSource,
  type ByteSource,
  byteSourceOf,
  hasOwnBytes,
  mediaTypeOf,
  type UrlSource,
} from './blocks/source.ts';
export type { ThinkingBlock } from './blocks/thinking/index.ts';
export type { ToolUseBlock } from './blocks/tool-use/index.ts';
export type { UnknownBlock } from './blocks/unknown.ts';

// The message kit for core, and further functions on messages.

export { extractUserWords, removeProgramElements, titleFromMessages, titleFromText } from './conversation-title.ts';
export { equalityForm, equalityKey } from './equality.ts';
export { estimateMessageTokens, messageKit, toSearchText } from './kit.ts';

export {
  extractInlineBytes,
  hasInlineBytes,
  hasStoredBytes,
  restoreInlineBlocks,
  storeInlineBlocks,
  storeInlineBytes,
  storeInlineMessages,
} from './store-inline-bytes.ts';
export {
  buildSubAgentLink,
  findSubAgents,
  type SpawnLink,
  type SubAgent,
  spawnedByFormat,
  spawnLinkOf,
} from './sub-agent-links.ts';

export { estimateTokens } from './tokens.ts';

// Lower-level functions for messages and blocks.

export { fromBase64, isBase64, toBase64 } from './base64.ts';
export { canonicalJson } from './canonical-json.ts';
export { deriveId } from './derive-id.ts';
export { joinBytes } from './formats/bytes.ts';
export { type PlatformSha256, setPlatformSha256, setPlatformSha256Loader, sha256Hex } from './sha256.ts';
