/** Ways to damage a journal: altering, truncating, emptying or swapping lines. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { intactTreeId } from './sample-folder.ts';

/** Functions that damage the journal of a tree, each with a name and the expected error message. */
export const journalDamages: readonly (readonly [string, RegExp, (journal: string) => void])[] = [
  [
    'an altered line in the middle',
    /line 2 /,
    (journal) => writeFileSync(journal, readFileSync(journal, 'utf8').replace('Be brief.', 'Be Brief.')),
  ],
  [
    'an altered last line',
    /line 3 /,
    (journal) => writeFileSync(journal, readFileSync(journal, 'utf8').replace('"text":"reply"', '"text":"Reply"')),
  ],
  [
    'a missing line',
    /line 2 /,
    (journal) => {
      const lines = readFileSync(journal, 'utf8').split('\n');
      writeFileSync(journal, [lines[0], ...lines.slice(2)].join('\n'));
    },
  ],
  [
    'a cut at a line',
    /version 1/,
    (journal) => {
      const lines = readFileSync(journal, 'utf8').split('\n');
      writeFileSync(journal, `${lines.slice(0, 2).join('\n')}\n`);
    },
  ],
  ['no byte', /empty/, (journal) => writeFileSync(journal, '')],
  ['no file', /missing/, (journal) => rmSync(journal)],
  ['other text', /line 1 /, (journal) => writeFileSync(journal, 'hello\nworld\n')],
  [
    'the journal of another tree',
    /belongs to/,
    (journal) => writeFileSync(journal, readFileSync(join(journal, '..', '..', intactTreeId, 'journal.jsonl'))),
  ],
];
