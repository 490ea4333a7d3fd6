export {
  type CallSettings,
  type ChatAccess,
  type ChatHandler,
  type ChatHandlerOptions,
  chatTreeId,
  createChatHandler,
  loadChat,
  type RequestedChat,
} from './chat-handler.ts';
