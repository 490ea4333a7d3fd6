/** Every area of the API, in the order of the reference. */
export { accounts } from './accounts/index.ts';
export { attachments } from './attachments/index.ts';
export { commands } from './commands/index.ts';
export { context } from './context/index.ts';
export { feed } from './feed/index.ts';
export { generations } from './generations/index.ts';
export { history } from './history/index.ts';
export { mcp } from './mcp/index.ts';
export { models } from './models/index.ts';
export { operation } from './operation/index.ts';
export { proxy } from './proxy/index.ts';
export { reading } from './reading/index.ts';
export { shares } from './shares/index.ts';
export { transfer } from './transfer/index.ts';
export { trees } from './trees/index.ts';
export { writing } from './writing/index.ts';
