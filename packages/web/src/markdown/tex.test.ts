import { expect, test } from 'vitest';
import { toMath } from './tex.ts';

test('[B1] a formula becomes elements with text inside', () => {
  expect(toMath('x^2')).toEqual({
    tag: 'msup',
    inside: [
      { tag: 'mi', text: 'x' },
      { tag: 'mn', text: '2' },
    ],
  });
  expect(toMath('\\frac{a}{b}')).toMatchObject({ tag: 'mfrac' });
  expect(toMath('\\sum_{i=1}^{n} i')).toMatchObject({ tag: 'mrow', inside: [{ tag: 'munderover' }, { tag: 'mi' }] });
  expect(toMath('\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}')).toMatchObject({ tag: 'mrow' });
  expect(toMath('\\left( \\sqrt[3]{x} \\right)')).toMatchObject({ tag: 'mrow' });
});

test('[B1] what is not known, not closed or too deep is refused and shown as it was written', () => {
  for (const tex of [
    '\\href{javascript:alert(1)}{x}',
    '\\frac{a',
    '\\unknown',
    '}',
    '\\begin{evil}\\end{evil}',
    '{'.repeat(10_000),
    '\\left(',
    'x'.repeat(9000),
  ])
    expect(toMath(tex), tex.slice(0, 40)).toBeNull();
});
