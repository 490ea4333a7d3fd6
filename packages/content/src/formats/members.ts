export { chatgpt } from './chatgpt/index.ts';
export { linear } from './linear/index.ts';
