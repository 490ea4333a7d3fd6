/** The routes that read one tree. */
import { compareRoutes } from './compare.ts';
import { nodeRoutes } from './nodes.ts';
import { pageRoutes } from './pages.ts';
import { pathRoutes } from './paths.ts';
import { searchRoutes } from './search.ts';

export const readingRoutes = [...pageRoutes, ...pathRoutes, ...nodeRoutes, ...compareRoutes, ...searchRoutes];
