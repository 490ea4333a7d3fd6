/** Routes that change one tree. Each runs a command of core, which decides what it means. */
import { content } from './content.ts';
import { moves } from './moves.ts';
import { notes } from './notes.ts';
import { reversal } from './reversal.ts';

export const writing = [...content, ...moves, ...notes, ...reversal];
