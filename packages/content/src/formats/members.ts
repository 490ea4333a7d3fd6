export { aiSdk } from './ai-sdk/index.ts';
export { archive } from './archive/index.ts';
export { chatgpt } from './chatgpt/index.ts';
export { claudeAi } from './claude-ai/index.ts';
export { html } from './html/index.ts';
export { linear } from './linear/index.ts';
export { markdown } from './markdown/index.ts';
export { requestLog } from './request-log/index.ts';
