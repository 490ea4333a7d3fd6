import { expect, it } from 'vitest';
import { runFormatConformance, storeInput, toInput } from '../conformance.ts';
import { htmlToText } from './html-to-text.ts';
import { geminiTakeout } from './index.ts';

const activity = (title: string, html: string | undefined, rest: object = {}) => ({
  header: 'Gemini Apps',
  title,
  time: '2024-01-01T00:00:00.123Z',
  products: ['Gemini Apps'],
  ...(html === undefined ? {} : { safeHtmlItem: [{ html }] }),
  ...rest,
});

runFormatConformance(geminiTakeout, [
  {
    name: 'prompts, one in another language, feedback, and another product',
    files: {
      'MyActivity.json': JSON.stringify([
        activity('Prompted Hello', '<p>Hi</p>', { attachedFiles: ['a.png'] }),
        activity('Frage: Wie geht es?', '<p>Gut</p>'),
        activity('Gave feedback: Good response', undefined),
      ]),
    },
    trees: 2,
    nodes: 4,
    findings: [],
  },
  {
    name: 'a prompt without an answer, and a record that is none',
    files: { 'b.json': JSON.stringify([activity('Prompted Alone', undefined), { header: 'Search', title: 'x' }]) },
    trees: 1,
    nodes: 1,
    findings: ['import/skipped'],
  },
]);

it('[I231] answers are text with their lists, code and emphasis', async () => {
  const { trees } = await storeInput(
    toInput({
      'a.json': JSON.stringify([
        activity(
          'Prompted Hello',
          '<p>Use <b>this</b>:</p><ul><li>a &amp; b</li></ul><pre><code>x &lt; 1</code></pre>',
        ),
      ]),
    }),
  );
  expect(trees[0]?.nodes.map((node) => node.message.content)).toEqual([
    [{ type: 'text', text: 'Hello' }],
    [{ type: 'text', text: 'Use **this**:\n\n- a & b\n\n```\nx < 1\n```' }],
  ]);
  expect(htmlToText('&#x41;&#66;&unknown;<script')).toBe('AB&unknown;<script');
});
