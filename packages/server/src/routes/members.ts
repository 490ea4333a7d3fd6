/** Every area of the API, in the order of the reference. */
export { feed } from './feed/index.ts';
export { generations } from './generations/index.ts';
export { operation } from './operation/index.ts';
export { reading } from './reading/index.ts';
export { trees } from './trees/index.ts';
export { writing } from './writing/index.ts';
