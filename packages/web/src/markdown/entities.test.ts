import { expect, test } from 'vitest';
import { decodeEntities } from './entities.ts';

test('[B113] named and numbered characters of HTML are decoded, unknown names stay as written', () => {
  expect(decodeEntities('&ldquo;caf&eacute;&rdquo; &alpha; &le; &Alpha; &frac12; &nbsp;&#8364; &#x1F600;')).toBe(
    '“café” α ≤ Α ½ \u00a0€ 😀',
  );
  expect(decodeEntities('R&D; &nosuchname; &amp;lt; a&b &;')).toBe('R&D; &nosuchname; &lt; a&b &;');
  expect(decodeEntities('&#0; &#1114112; &quot;&apos;')).toBe('&#0; &#1114112; "\'');
});
