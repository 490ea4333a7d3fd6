/** Conversations in the ChatGPT shape, as plain values. */
export {
  CLIENT_ROOT_ID,
  type Conversation,
  type ConversationFunctions,
  type ConversationMapping,
  type ConversationMessage,
  type ConversationNode,
  createConversationFunctions,
} from '../chatgpt-conversation.ts';
