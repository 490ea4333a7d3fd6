import temml from 'temml';
import { expect, test } from 'vitest';
import { ordinaryFormulas } from '../testing/ordinary-formulas.ts';
import { listTexVariants, makeTexOptions } from './tex.ts';

/** Returns the first variant that the library can render, as MathML; null if there is none. */
function setOrNull(tex: string, display: boolean): string | null {
  for (const reading of listTexVariants(tex)) {
    const html = temml.renderToString(reading, makeTexOptions(display));
    if (!html.includes('temml-error') && html.includes('<math')) return html;
  }
  return null;
}

test('[B112] a hundred ordinary formulas are rendered, inline and as blocks, without an unknown command', () => {
  expect(ordinaryFormulas.length).toBeGreaterThanOrEqual(100);
  for (const tex of ordinaryFormulas)
    for (const display of [true, false]) {
      const html = setOrNull(tex, display);
      expect(html, tex).not.toBeNull();
      // The library renders an unknown command as text with its backslash.
      expect(html, tex).not.toMatch(/>\\[a-zA-Z]/);
    }
});

test('[B112] commands of extensions and of other renderers do not spoil a formula', () => {
  for (const [tex, shown] of [
    [String.raw`\require{cancel}\cancel{x}`, 'x'],
    [String.raw`\bbox[5px,border:2px solid red]{x=1}`, '='],
    [String.raw`\href{https://other.example}{z}`, 'z'],
    [String.raw`\unicode{x263a}`, '☺'],
    [String.raw`\enclose{horizontalstrike}{abc}`, 'a'],
    [String.raw`\begin{psmallmatrix}a&b\\c&d\end{psmallmatrix}`, 'mtable'],
    [String.raw`\begin{array}{@{}l@{}}a\\b\end{array}`, 'mtable'],
    [String.raw`\begin{align}a&=b\\\intertext{and}c&=d\end{align}`, 'and'],
    [String.raw`x &= 1 \\ y &= 2`, 'mtable'],
    [String.raw`a \middle| b`, '|'],
    [String.raw`\ang{30} + \SI{5}{\kg} + \SIrange{1}{2}{\metre}`, '°|∘|–'],
    [String.raw`\overunderset{a}{b}{c} + \nCr{n}{k} + \mathlarger{x}`, 'munder'],
    [String.raw`\textasciitilde\textbackslash\textbar\textless`, '&lt;'],
  ] as const) {
    const html = setOrNull(tex, true);
    expect(html, tex).toMatch(new RegExp(shown.replace(/^\|$/, '\\|')));
    expect(html, tex).not.toMatch(/>\\[a-zA-Z]|other\.example/);
  }
});

test('[B112] an unknown command leaves the rest of its formula rendered; an unreadable formula stays as written', () => {
  const html = setOrNull(String.raw`\frac{1}{2} + \nosuchcommand{x}`, false);
  expect(html).toContain('<mfrac>');
  expect(html).toContain('\\nosuchcommand');
  expect(setOrNull(String.raw`\frac{a`, false)).toBeNull();
});

test('[B112] a formula cannot set an address, class or style', () => {
  for (const tex of [
    String.raw`\href{javascript:alert(1)}{x}`,
    String.raw`\includegraphics{https://other.example/x.png}`,
    String.raw`\class{evil}{y}`,
    String.raw`\htmlData{a=b}{y}`,
    String.raw`\style{background:url(x)}{y}`,
  ])
    expect(setOrNull(tex, false) ?? '').not.toMatch(/href=|src=|<img|class="evil|data-a|url\(/);
});
