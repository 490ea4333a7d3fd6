export { anthropic } from './anthropic/index.ts';
export { google } from './google/index.ts';
export { offline } from './offline/index.ts';
export { ollama } from './ollama/index.ts';
export { openai } from './openai/index.ts';
export { openaiCompatible } from './openai-compatible/index.ts';
export { openrouter } from './openrouter/index.ts';
