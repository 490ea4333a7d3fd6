/** What OpenAI answers, by either of its interfaces. Pure. */
export { chatReader, chatWhole } from '../chat-from-wire.ts';
export { responsesReader, responsesWhole } from './responses-from-wire.ts';
