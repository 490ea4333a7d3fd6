export { file } from './file/index.ts';
export { image } from './image/index.ts';
export { text } from './text/index.ts';
export { thinking } from './thinking/index.ts';
export { toolUse } from './tool-use/index.ts';
