import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextStyles } from '../terminal/style.ts';
import { highlightCode } from './highlight-code.ts';
import { renderMarkdownLines } from './markdown.ts';

const colored = createTextStyles(true);
const { quiet, active, strong, warn } = colored;

describe('highlighted code', () => {
  it('[O103] distinguishes comments, strings, numbers and keywords', () => {
    expect(highlightCode('const a = "b // c"; // 12\nlet x = 42;', 'ts', colored)).toBe(
      `${strong('const')} a = ${active('"b // c"')}; ${quiet('// 12')}\n${strong('let')} x = ${warn('42')};`,
    );
    expect(highlightCode('def f(): # none\n  return "#"', 'python', colored)).toBe(
      `${strong('def')} f(): ${quiet('# none')}\n  ${strong('return')} ${active('"#"')}`,
    );
    expect(highlightCode('/* one\ntwo', 'c', colored)).toBe(`${quiet('/* one')}\n${quiet('two')}`);
    expect(highlightCode('if this is text', 'text', colored)).toBe('if this is text');
  });

  it('[O103] changes nothing but colours, whatever the code is', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('js', 'py', 'sql', '', 'unknown'), (code, language) => {
        const clean = stripVTControlCharacters(code);
        expect(stripVTControlCharacters(highlightCode(clean, language, colored))).toBe(clean);
        expect(highlightCode(code, language, createTextStyles(false))).toBe(code);
      }),
    );
  });

  it('[O103] code in Markdown is highlighted, also inside a reply that is not finished', () => {
    expect(renderMarkdownLines('```js\nreturn 1', 40, colored).at(-1)).toBe(
      `${quiet('│ ')}${strong('return')} ${warn('1')}`,
    );
  });
});
