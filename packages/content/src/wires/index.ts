/** Reads and writes the wires of model providers, without I/O. Used to call models and to record and import calls. */
export { type AnthropicBlockChange, type AnthropicBlockDraft, AnthropicEventCollector } from './anthropic-events.ts';
export { createAnthropicReader, readWholeAnthropicMessage } from './anthropic-from-wire.ts';
export {
  type AnthropicBlock,
  type AnthropicBody,
  type AnthropicImageType,
  type AnthropicMessage,
  type AnthropicVisibleBlock,
  adjustRequestForAnthropic,
  takesThinkingBudget,
  toAnthropicBody,
  toSupportedImageType,
} from './anthropic-to-wire.ts';
export {
  createToolCallIdMapper,
  formatToolCallArguments,
  hasEmbeddedBytes,
  hasWebUrl,
  indexToolCallNames,
  isFileBlock,
  isImageBlock,
  isSignedBy,
  isThinkingBlock,
  isToolCall,
  type SignedThinking,
  toWireText,
} from './block-guards.ts';
export { type ChatCompletionCallDraft, ChatCompletionChunkCollector, type ChatCompletionDelta } from './chat-chunks.ts';
export { createChatCompletionReader, readWholeChatCompletion } from './chat-from-wire.ts';
export {
  type ChatCompletionBody,
  type ChatCompletionCall,
  type ChatCompletionDialect,
  type ChatCompletionMessage,
  type ChatCompletionPart,
  toChatCompletionBody,
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
  WireAnswerFailure,
  type WireReader,
  type WireReplyEvent,
} from './contract.ts';
export { joinGoogleChunks } from './google-call.ts';
export { createGoogleReader, readWholeGoogleAnswer } from './google-from-wire.ts';
export { type GoogleBody, type GoogleContent, type GooglePart, toGoogleBody } from './google-to-wire.ts';
export {
  isToolListItem,
  type ModelCallAnswer,
  type ModelCallReadOptions,
  type ModelCallRequest,
  type ModelCallWire,
  readModelCallAnswers,
  readModelCallRequest,
} from './read-call.ts';
export {
  ResponsesEventCollector,
  type ResponsesItemChange,
  type ResponsesItemDraft,
  type ResponsesTextKind,
} from './responses-events.ts';
export { createResponsesReader, readWholeOpenAiResponse } from './responses-from-wire.ts';
export {
  findReferencedItemIds,
  groupResponsesItems,
  indexResponsesItems,
  isResponsesItemList,
  type ResolveResponsesItem,
  type ResponsesItemMessage,
} from './responses-items.ts';
export {
  type ResponsesBody,
  type ResponsesItem,
  type ResponsesPart,
  responsesOutputTokenRange,
  toResponsesBody,
} from './responses-to-wire.ts';
export {
  createLineSplitter,
  createSseSplitter,
  EventTooLargeError,
  parseEventData,
  type RawStreamEvent,
  readSse,
  type StreamEventSplitter,
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
