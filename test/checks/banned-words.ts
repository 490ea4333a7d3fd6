import { posix } from 'node:path';
import { readDeclaredNames, wordsOfName } from './names.ts';
import { isTypeScript, type Workspace } from './workspace.ts';

/**
 * Words that names must not contain, each with the plain words to use instead: they are metaphors for which programmers
 * have a common word. The metaphors that stay are in `docs/glossary.md`.
 */
const bannedWords: ReadonlyMap<string, string> = new Map([
  ['barren', 'empty, hasNoChildren'],
  ['bed', 'fixture'],
  ['beds', 'fixtures'],
  ['book', 'state, catalogue'],
  ['breathe', 'yieldToEventLoop'],
  ['clerk', 'backend'],
  ['courtesy', 'throttle'],
  ['deeds', 'effects, acts'],
  ['desk', 'services, parts'],
  ['door', 'entry, transaction'],
  ['doors', 'entries, transactions'],
  ['grave', 'removed'],
  ['graves', 'removedChildren'],
  ['ground', 'parent, target, site'],
  ['grounds', 'parents, sites'],
  ['heard', 'received, response'],
  ['plant', 'create, build, insert'],
  ['planted', 'sample, built'],
  ['purse', 'budget, allowance'],
  ['room', 'space, services'],
  ['seedling', 'emptyTree'],
  ['shelf', 'scope, entry'],
  ['stage', 'fixture, build'],
  ['stool', 'silhouette'],
  ['told', 'reported'],
  ['workshop', 'fixture, runner'],
]);

/**
 * Names that are stored or sent and therefore cannot change, such as the field `room` in a response about the context.
 */
const sentNames: readonly { readonly word: string; readonly path: RegExp }[] = [
  { word: 'room', path: /^packages\/core\/src\/budget(?:\.test)?\.ts$/ },
  { word: 'room', path: /^packages\/engine\/src\/generate\/reply-limit\.ts$/ },
  { word: 'room', path: /^packages\/server\/src\/(?:wire|routes\/context)\// },
  { word: 'room', path: /^packages\/client\/src\/paths\.ts$/ },
];

/** Returns a sentence for each declared name and file name with a banned word. */
export function checkBannedWords(workspace: Workspace): string[] {
  const found: string[] = [];
  for (const path of workspace.paths.filter(isTypeScript)) {
    const file = posix.basename(path).replace(/\..*$/, '');
    const names = [{ name: file, line: 1 }, ...readDeclaredNames(path, workspace.read(path))];
    for (const { name, line } of names)
      for (const word of wordsOfName(name)) {
        const instead = bannedWords.get(word);
        if (instead === undefined || sentNames.some((sent) => sent.word === word && sent.path.test(path))) continue;
        found.push(
          `${path}:${line} ${name}: '${word}' is a word we left behind; take ${instead}, or a better plain word.`,
        );
      }
  }
  return found;
}
