export {
  type CallSettings,
  type ChatHandler,
  type ChatHandlerOptions,
  type ChatOwner,
  chatTreeId,
  createChatHandler,
  loadChat,
} from './chat-handler.ts';
