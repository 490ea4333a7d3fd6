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
