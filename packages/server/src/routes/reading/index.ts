/** What is read of one tree without changing it. */
import { compare } from './compare.ts';
import { nodes } from './nodes.ts';
import { pages } from './pages.ts';
import { paths } from './paths.ts';
import { searches } from './search.ts';

export { threadPage } from './pages.ts';

/** The routes. */
export const reading = [...pages, ...paths, ...nodes, ...compare, ...searches];
