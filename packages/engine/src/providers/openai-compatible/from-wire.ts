/** What a server of the OpenAI kind answers. Pure. */
export { chatReader, chatWhole } from '../chat-from-wire.ts';
