/** Stores chat histories of LangChain in conversation trees. */
export { TreeChatMessageHistory, type TreeHistoryOptions } from './chat-history.ts';
