/** The routes that change one tree. Each runs a command of core, which contains the semantics. */
import { contentRoutes } from './content.ts';
import { moveRoutes } from './moves.ts';
import { noteRoutes } from './notes.ts';
import { undoRoutes } from './reversal.ts';

export const writingRoutes = [...contentRoutes, ...moveRoutes, ...noteRoutes, ...undoRoutes];
