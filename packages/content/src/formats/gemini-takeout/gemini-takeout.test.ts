import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
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
  const { trees } = await importIntoStore(
    toImportInput({
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

it('[I249] links keep their targets, if these are addresses of the web or of mail', async () => {
  const html =
    "<p>See <a href=\"https://example.org/a?b=1&amp;c=2\">the <b>docs</b></a> or <a target='_blank' href='mailto:a@b.example'>write</a>.</p>";
  const { trees } = await importIntoStore(
    toImportInput({ 'a.json': JSON.stringify([activity('Prompted Hello', html)]) }),
  );
  expect(trees[0]?.nodes[1]?.message.content).toEqual([
    { type: 'text', text: 'See [the **docs**](https://example.org/a?b=1&c=2) or [write](mailto:a@b.example).' },
  ]);
});

it.each([
  ['<a href="https://a.example/">https://a.example/</a>', 'https://a.example/'],
  ['<a href=HTTP://a.example>bare</a>', '[bare](HTTP://a.example)'],
  ['<a href="javascript:alert(1)">run</a> <a href=" java\nscript:alert(1)">run</a>', 'run run'],
  ['<a href="/local">here</a> <a href="#part">there</a> <a name="https://a.example">mark</a>', 'here there mark'],
  ['<a data-href="https://a.example">x</a> <a href="https:">y</a> <a href>z</a>', 'x y z'],
  ['<a href="https://a.example/x_(y) z">x [1]</a>', '[x \\[1\\]](https://a.example/x_%28y%29%20z)'],
  ['<a href="https://a.example"><code>a[0]</code></a>', '[`a[0]`](https://a.example)'],
  ['<code><a href="https://a.example">x</a></code> <pre><a href="https://a.example">y</a></pre>', '`x`\n```\ny\n```'],
  ['<a href="https://a.example"><img src="x.png"></a>', 'https://a.example'],
  ['a<a href="https://a.example"><h3>Title</h3></a>b', 'a\n\n### [Title](https://a.example)\n\nb'],
  ['<ul><li><a href="https://a.example">one</a></li><li>two</li></ul>', '- [one](https://a.example)\n- two'],
  ['<a href="https://a.example"><p>One.</p><p>Two.</p></a>Three.', 'One.\n\nTwo.\n\nhttps://a.example\n\nThree.'],
  [
    '<a href="https://a.example">one <a href="https://b.example">two',
    '[one](https://a.example) [two](https://b.example)',
  ],
])('[I249] converts a link where it occurs: %j', (html, text) => {
  expect(htmlToText(html)).toBe(text);
});
