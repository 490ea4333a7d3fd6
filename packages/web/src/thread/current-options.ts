export { generationOptions as currentOptions } from '../state/chat-options.ts';
