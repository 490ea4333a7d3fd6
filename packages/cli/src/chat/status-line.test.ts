import { type Node, nodeId } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { instantRepliesConfig, makeCliFixture } from '../testing/index.ts';
import { formatStatusLine } from './status-line.ts';

describe('the status line', () => {
  it('[O100] names the model, branch, version, tokens of the window and cost, and leaves out unknown values', async () => {
    const fixture = makeCliFixture({ config: instantRepliesConfig, env: { COPPICE_MODEL: 'offline/guide' } });
    const { node } = await fixture.json(['chat', '-p', 'What is a branch?']);
    fixture.close();
    const stored = node as Node;
    const source = { usage: { inputTokens: 1500, outputTokens: 100 }, cost: { total: 0.0123 } };
    const reply: Node = { ...stored, id: nodeId('a'), role: 'assistant', meta: { source } };
    const state = {
      model: 'x/large',
      thinking: null,
      branch: 'Elms',
      nodes: [reply],
      more: false,
      places: new Map([[reply.id, [1, 3] as const]]),
    };
    expect(formatStatusLine(state, 200_000, 80)).toBe(
      'x/large · branch Elms · version 2 of 3 · 1.6k of 200k tokens · $0.0123',
    );
    expect(formatStatusLine({ ...state, more: true }, null, 80)).toMatch(/\$0\.0123\+$/);
    expect(formatStatusLine(state, null, 20)).toBe('x/large · branch El…');
    expect(formatStatusLine({ ...state, branch: null, nodes: [] }, 200_000, 80)).toBe('x/large');
    expect(formatStatusLine({ ...state, thinking: 'high', nodes: [] }, null, 80, 'answering…')).toBe(
      'answering… · x/large · thinking high · branch Elms',
    );
  });
});
