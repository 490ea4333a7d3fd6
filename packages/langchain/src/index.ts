/** Chat histories of LangChain on conversation trees. */
export { TreeChatMessageHistory, type TreeHistoryOptions } from './chat-history.ts';
