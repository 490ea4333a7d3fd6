/** Read routes of one tree. */
import { compare } from './compare.ts';
import { nodes } from './nodes.ts';
import { pages } from './pages.ts';
import { paths } from './paths.ts';
import { searches } from './search.ts';

export const reading = [...pages, ...paths, ...nodes, ...compare, ...searches];
