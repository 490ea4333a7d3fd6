import type { ContextAnswer } from '@coppice/client';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ContextWindowBar } from './context-window-bar.tsx';

const answer: ContextAnswer = {
  version: 1,
  entries: [],
  count: 0,
  before: null,
  shares: { system: 0, summaries: 0, messages: 300, tools: 0 },
  compaction: null,
  tokens: 300,
  window: 8_192,
  known: true,
  maxTokens: 7_000,
  compactAt: 6_000,
  toolDefinitions: { count: 0, tokens: 0 },
  cost: null,
  expectedCost: null,
  model: 'lab/oak',
};
const html = (known: boolean) =>
  renderToStaticMarkup(createElement(ContextWindowBar, { answer: { ...answer, known } }));

test('[B331] an assumed context window is not shown as one, nor is the space that it would leave', () => {
  expect(html(true)).toContain('8,192');
  expect(html(true)).toContain('7,000');
  expect(html(false)).not.toMatch(/8,192|8\.2k|7,000|percent/);
  expect(html(false)).toContain('300');
  expect(html(false)).toContain('not known');
});
