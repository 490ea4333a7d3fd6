import { expect, test } from 'vitest';
import type { RecordedSession } from './agents-api.ts';
import { sessionsToCsv } from './work-csv.ts';

const figures = { calls: 2, toolCalls: 1, tokens: 13, cachedTokens: 4, cost: null, errors: 0, workMs: 5 };
const session: RecordedSession = {
  treeId: 't',
  kind: 'session',
  title: 'Say "hi", twice',
  project: '=SUM(A1)',
  program: 'Codex',
  session: 's1',
  folder: '/home/ada/shop',
  branch: null,
  parentId: null,
  call: null,
  model: 'gpt-5',
  running: false,
  figures,
  recent: figures,
  startedAt: 0,
  lastAt: 1_000,
};

test('[B271] the exported table quotes what it must, and no cell is a formula', () => {
  const [names, line, end] = sessionsToCsv([session]).split('\r\n');
  expect(names).toMatch(/^program,project,folder,branch,kind,title,/);
  expect(line).toBe(
    `Codex,'=SUM(A1),/home/ada/shop,,session,"Say ""hi"", twice",s1,gpt-5,2,1,13,4,,0,5,1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z`,
  );
  expect(end).toBe('');
});
