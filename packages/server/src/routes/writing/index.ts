/** What changes one tree. Each route says a command; what it means is decided in core. */
import { content } from './content.ts';
import { places } from './moves.ts';
import { notes } from './notes.ts';
import { reversal } from './reversal.ts';

/** The routes. */
export const writing = [...content, ...places, ...notes, ...reversal];
