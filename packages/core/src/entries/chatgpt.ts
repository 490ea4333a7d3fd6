/** Conversations in the ChatGPT shape, as plain values. */
export { CLIENT_ROOT_ID, createConversationFunctions } from '../chatgpt-conversation.ts';
