import { expect, test } from 'vitest';
import { listShownNotices } from './shown-notices.ts';

const blocks = (blockType: string, count = 1) => ({
  code: 'notice/block-changed',
  data: { model: 'lab/oak', blockType, role: 'assistant', count },
});
const pdf = { code: 'notice/file-as-text', data: { model: 'lab/oak', name: 'a.pdf' } };
const reply = (...notices: readonly object[]) => ({
  meta: { source: { notices: JSON.parse(JSON.stringify(notices)) } },
});

test('[B327] earlier thinking that was not sent is no notice below a reply; an image that was not sent is one', () => {
  const shown = listShownNotices(reply(blocks('thinking'), blocks('image'), pdf), null);
  expect(shown).toEqual([blocks('image'), pdf]);
});

test('[B327] a notice that the reply before has too is not repeated, whatever its count', () => {
  const other = { ...pdf, data: { ...pdf.data, name: 'b.pdf' } };
  expect(listShownNotices(reply(blocks('image', 2), pdf, other), reply(blocks('image'), pdf))).toEqual([other]);
  expect(listShownNotices(reply(pdf), reply())).toEqual([pdf]);
});
