/** Everything German that the page needs from its start; loaded only for people who read German. */
export { commandWordsDe } from './command-words-de.ts';
export { germanLines, germanPhrase, germanReport } from './commands-de.ts';
export { de } from './de.ts';
export { germanUsage, ownNamesDe } from './names-de.ts';
export { germanRefusal } from './refusals-de.ts';
