/** What OpenRouter answers: chat completions, with reasoning and pictures where OpenAI has none. Pure. */
export { chatReader, chatWhole } from '../chat-from-wire.ts';
