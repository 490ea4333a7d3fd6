/** Reads and writes the wires of model providers, without I/O; used to call models and to record and import calls. */
export { type AnthropicBlockDraft, type AnthropicChange, AnthropicEvents } from './anthropic-events.ts';
export { anthropicReader, anthropicWhole } from './anthropic-from-wire.ts';
export {
  type AnthropicBlock,
  type AnthropicBody,
  type AnthropicImageType,
  type AnthropicMessage,
  type AnthropicShown,
  adjustForAnthropic,
  imageType,
  thinksByBudget,
  toAnthropicBody,
} from './anthropic-to-wire.ts';
export {
  argumentsOfCall,
  callNames,
  hasAddress,
  hasByteSource,
  isFileBlock,
  isImage,
  isSignedBy,
  isThinking,
  isToolCall,
  type SignedThinking,
  safeIds,
  wholeText,
} from './block-guards.ts';
export { type ChatCallDraft, ChatChunks, type ChatPiece } from './chat-chunks.ts';
export { chatReader, chatWhole } from './chat-from-wire.ts';
export {
  type ChatBody,
  type ChatCall,
  type ChatDialect,
  type ChatMessage,
  type ChatPart,
  toChatBody,
} from './chat-to-wire.ts';
export {
  doneMark,
  type EndEvent,
  type FinishReason,
  type ImageEvent,
  type ParameterChanged,
  type ProviderRequest,
  type ProviderUsage,
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
export { foldGoogleChunks } from './google-call.ts';
export { googleReader, googleWhole } from './google-from-wire.ts';
export { type GoogleBody, type GoogleContent, type GooglePart, toGoogleBody } from './google-to-wire.ts';
export {
  type CallAnswer,
  type CallReading,
  type CallRequest,
  type CallWire,
  isToolList,
  readCallAnswers,
  readCallRequest,
} from './read-call.ts';
export {
  type ResponsesChange,
  ResponsesEvents,
  type ResponsesItemDraft,
  type ResponsesText,
} from './responses-events.ts';
export { responsesReader, responsesWhole } from './responses-from-wire.ts';
export {
  areItems,
  type ItemMessage,
  itemIdsOf,
  messagesWithItems,
  type Resolve,
  referencedItems,
} from './responses-items.ts';
export {
  type ResponsesBody,
  type ResponsesItem,
  type ResponsesPart,
  reasoningLength,
  toResponsesBody,
} from './responses-to-wire.ts';
export {
  type EventSplitter,
  EventTooLarge,
  jsonOfEvent,
  lineFraming,
  readSse,
  sseFraming,
  type WireEvent,
} from './sse.ts';
export {
  isMalformed,
  type MalformedToolUse,
  parseToolArguments,
  readToolArguments,
  type ToolArguments,
} from './tool-arguments.ts';
export { usageEvent } from './usage-event.ts';
export { countMember, dataUrl, jsonListOf, jsonObjectOf, memberAt, textMember } from './wire-json.ts';
