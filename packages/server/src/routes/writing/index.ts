/** The routes that change one tree. Each runs a command of core, which contains the semantics. */
import { contentRoutes } from './content.ts';
import { moveRoutes } from './moves.ts';
import { nodeAttributeRoutes } from './node-attributes.ts';
import { undoRoutes } from './undo.ts';

export const writingRoutes = [...contentRoutes, ...moveRoutes, ...nodeAttributeRoutes, ...undoRoutes];
