export { linear } from './linear/index.ts';
