export { toGenerationOptions as currentOptions } from '../state/chat-options.ts';
