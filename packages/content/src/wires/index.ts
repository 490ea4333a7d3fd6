/** Reads and writes the wires of model providers, without I/O. Used to call models and to record and import calls. */
export { type AnthropicBlockDraft, type AnthropicChange, AnthropicEventCollector } from './anthropic-events.ts';
export { createAnthropicReader, readWholeAnthropicMessage } from './anthropic-from-wire.ts';
export {
  type AnthropicBlock,
  type AnthropicBody,
  type AnthropicImageType,
  type AnthropicMessage,
  type AnthropicVisibleBlock,
  adjustForAnthropic,
  takesThinkingBudget,
  toAnthropicBody,
  toSupportedImageType,
} from './anthropic-to-wire.ts';
export {
  callArgumentsText,
  callNamesById,
  createCallIdMapper,
  hasEmbeddedBytes,
  hasWebUrl,
  isFileBlock,
  isImage,
  isSignedBy,
  isThinking,
  isToolCall,
  type SignedThinking,
  toWireText,
} from './block-guards.ts';
export { type ChatCallDraft, ChatChunkCollector, type ChatPiece } from './chat-chunks.ts';
export { createChatReader, readWholeChatCompletion } from './chat-from-wire.ts';
export {
  type ChatBody,
  type ChatCall,
  type ChatDialect,
  type ChatMessage,
  type ChatPart,
  toChatBody,
} from './chat-to-wire.ts';
export {
  type EndEvent,
  endOfStreamMark,
  type FinishReason,
  type ImageEvent,
  type ProviderRequest,
  type ProviderUsage,
  type ReportParameterChange,
  type TextDelta,
  type ThinkingDelta,
  type ThinkingEnd,
  type ThinkingOptions,
  type ToolChoice,
  type ToolSpec,
  type ToolUseDelta,
  type ToolUseEnd,
  type ToolUseStart,
  type UsageEvent,
  WireFailure,
  type WireReader,
  type WireReplyEvent,
} from './contract.ts';
export { joinGoogleChunks } from './google-call.ts';
export { createGoogleReader, readWholeGoogleAnswer } from './google-from-wire.ts';
export { type GoogleBody, type GoogleContent, type GooglePart, toGoogleBody } from './google-to-wire.ts';
export {
  type CallAnswer,
  type CallReadOptions,
  type CallRequest,
  type CallWire,
  isToolListItem,
  readCallAnswers,
  readCallRequest,
} from './read-call.ts';
export {
  type ResponsesChange,
  ResponsesEventCollector,
  type ResponsesItemDraft,
  type ResponsesTextKind,
} from './responses-events.ts';
export { createResponsesReader, readWholeResponse } from './responses-from-wire.ts';
export {
  groupItemsIntoMessages,
  type ItemMessage,
  isItemList,
  itemsById,
  type ResolveItem,
  referencedItemIds,
} from './responses-items.ts';
export {
  outputTokenRange,
  type ResponsesBody,
  type ResponsesItem,
  type ResponsesPart,
  toResponsesBody,
} from './responses-to-wire.ts';
export {
  createLineSplitter,
  createSseSplitter,
  type EventSplitter,
  EventTooLarge,
  parseEventData,
  readSse,
  type WireEvent,
} from './sse.ts';
export {
  isMalformedToolUse,
  type MalformedToolUse,
  parseToolArguments,
  readToolArguments,
  type ToolArguments,
} from './tool-arguments.ts';
export { buildUsageEvent } from './usage-event.ts';
export { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined, splitDataUrl } from './wire-json.ts';
