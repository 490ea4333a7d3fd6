import { propertyParameters } from '@coppice/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextStyles } from '../terminal/style.ts';
import { GrowingMarkdown } from './growing-markdown.ts';
import { renderMarkdownLines } from './markdown.ts';

const plain = createTextStyles(false);
const code = (count: number) =>
  Array.from({ length: count }, (_, at) => `const value${at} = "text"; // a line`).join('\n');

describe('a growing reply', () => {
  it('[O198] has the lines of the whole text at each moment', () => {
    const block = fc.constantFrom(
      'A paragraph of some words. ',
      '\n\n',
      '- an item\n',
      `${'A long sentence that is repeated. '.repeat(40)}\n\n`,
      '```ts\n',
      '```\n',
      '````md\n',
      '````\n',
      '~~~\n',
      `${code(130)}\n`,
      `${code(20)}\n\n`,
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      '# A heading\n',
    );
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 14 }), fc.constantFrom(20, 60), (pieces, width) => {
        const growing = new GrowingMarkdown();
        let text = '';
        for (const piece of pieces) {
          text += piece;
          expect(growing.render(text, width, plain)).toEqual(renderMarkdownLines(text, width, plain));
        }
      }),
      propertyParameters(20, process.env),
    );
  });

  it('[O198] renders each line of a long code block a few times, not at each piece', () => {
    let painted = 0;
    const counting = {
      ...createTextStyles(true),
      active(text: string) {
        painted += 1;
        return text;
      },
    };
    const growing = new GrowingMarkdown();
    const lines = 500;
    const whole = `\`\`\`ts\n${code(lines)}\n\`\`\`\n`;
    // `active` paints the one string of each code line. Each step adds 140 characters, about four lines.
    for (let end = 0; end <= whole.length; end += 140) growing.render(whole.slice(0, end), 80, counting);
    expect(painted).toBeLessThan(lines * 30);
    expect(growing.render(whole, 80, counting)).toEqual(renderMarkdownLines(whole, 80, counting));
  });
});
