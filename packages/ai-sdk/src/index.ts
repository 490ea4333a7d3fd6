export {
  type CallSettings,
  type ChatHandler,
  type ChatHandlerOptions,
  type ChatOwner,
  chatTreeId,
  createChatHandler,
  loadChat,
  type RequestedChat,
} from './chat-handler.ts';
