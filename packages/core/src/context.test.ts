import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buildBranchSummaryMessage,
  buildSummaryMessage,
  type Context,
  type ContextOptions,
  contextOf,
  contextTexts,
  isPathEnoughForContext,
  readContextPath,
} from './context.ts';
import { nodeId } from './ids.ts';
import { textMessage, textOf } from './message.ts';
import type { Node } from './node.ts';
import { type PathPart, runReads } from './reads.ts';
import { coalesceMessages } from './request.ts';
import { arbitraryPathWithMarkers } from './testing/arbitrary-paths.ts';
import {
  buildPath,
  buildPathFrom,
  compactionLink,
  countingKit,
  markerLink,
  messageLink,
  type PathLink,
  textLink,
} from './testing/chain.ts';

function context(path: readonly Node[], options: Partial<ContextOptions> = {}): Context {
  return contextOf(path, { kit: countingKit, ...options });
}

function ids(found: Context): (string | null)[] {
  return found.entries.map((entry) => entry.nodeId);
}

/** Messages m1 to m<count>, alternately by user and assistant. */
function conversation(count: number, from = 1): PathLink[] {
  return Array.from({ length: count }, (_, at) =>
    textLink(`m${at + from}`, (at + from) % 2 === 1 ? 'user' : 'assistant', `text ${at + from}`),
  );
}

/** Answers the reads of a path like a store. */
function above(path: readonly Node[], to: string, limit: number): PathPart {
  const end = path.findIndex((node) => node.id === to) + 1;
  return { nodes: path.slice(Math.max(0, end - limit), end), complete: limit >= end };
}

describe('the context of a plain path', () => {
  test('[X1] the system prompt comes first, as an entry without a node', () => {
    const found = context(buildPath(...conversation(1)), { systemPrompt: 'Be brief.' });
    expect(found.entries[0]).toEqual({
      nodeId: null,
      kind: 'system-prompt',
      message: textMessage('system', 'Be brief.'),
      tokens: 9,
      reported: null,
    });
    expect(ids(found)).toEqual([null, 'm1']);
  });

  test('[X40] the nearest recorded prompt above the end replaces the prompt of the tree, and an empty one means no prompt', () => {
    const path = buildPath(...conversation(4));
    const noted = (at: number, recordedPrompt: string) =>
      path.map((node, index) => (index === at ? { ...node, meta: { ...node.meta, recordedPrompt } } : node));
    const prompts = (nodes: readonly Node[]) =>
      context(nodes, { systemPrompt: 'Old.' }).entries.flatMap(({ kind, message: { content } }) =>
        kind === 'system-prompt' ? content : [],
      );
    expect(prompts(noted(2, 'New.'))).toMatchObject([{ text: 'New.' }]);
    expect(prompts(noted(2, 'New.').slice(0, 2))).toMatchObject([{ text: 'Old.' }]);
    expect(prompts(noted(3, ''))).toEqual([]);
  });

  test('[X1] a missing prompt and an empty prompt give no entry', () => {
    const path = buildPath(...conversation(2));
    expect(ids(context(path))).toEqual(['m1', 'm2']);
    expect(ids(context(path, { systemPrompt: '' }))).toEqual(['m1', 'm2']);
    expect(ids(context(path, { systemPrompt: undefined }))).toEqual(['m1', 'm2']);
  });

  test('[X2] every message is in the context, in order, as the stored object', () => {
    const path = buildPath(...conversation(4), messageLink('m5', 'user', { type: 'hologram' }));
    const found = context(path);
    expect(found.entries.map((entry) => entry.kind)).toEqual(Array(5).fill('message'));
    for (const [index, entry] of found.entries.entries()) expect(entry.message).toBe(path[index]?.message);
    expect(found).toMatchObject({ compaction: null, flags: [] });
  });

  test('[X2] the context of an empty path is empty', () => {
    expect(context([])).toEqual({
      measure: expect.any(String),
      entries: [],
      compaction: null,
      flags: [],
      tokens: 0,
      estimate: { tokens: 0, reported: null, newer: 0 },
    });
  });

  test('[X9] token counts come from the node, or from the tokenizer for messages made for the context', () => {
    const [first, ...rest] = buildPath(
      textLink('m1', 'user', 'hi'),
      compactionLink('c', 'sum', 'm1'),
      markerLink('b', 'branch-summary', 'x'),
    );
    if (first === undefined) throw new Error('a chain of three has a first node');
    const found = context([{ ...first, tokens: 77 }, ...rest], { systemPrompt: 'abc' });
    const wrapped = textOf(buildSummaryMessage(textMessage('system', 'sum'))).length;
    const branch = textOf(buildBranchSummaryMessage(textMessage('system', 'x'))).length;
    expect(found.entries.map(({ nodeId: id, kind, tokens }) => [id, kind, tokens])).toEqual([
      [null, 'system-prompt', 3],
      ['c', 'summary', wrapped],
      ['m1', 'message', 77],
      ['b', 'branch-summary', branch],
    ]);
    expect(found.tokens).toBe(3 + wrapped + 77 + branch);
  });
});

describe('compactions', () => {
  test('[X3] the summary, then m6 to m10: the first diagram of the session format', () => {
    const found = context(buildPath(...conversation(10), compactionLink('c1', 'what m1 to m5 said', 'm6')));
    expect(ids(found)).toEqual(['c1', 'm6', 'm7', 'm8', 'm9', 'm10']);
    expect(found.entries[0]?.kind).toBe('summary');
    expect(found.compaction).toEqual({ nodeId: 'c1', summary: 'what m1 to m5 said' });
    expect(found.flags).toEqual([]);
  });

  test('[X3] messages after the compaction follow the messages it keeps', () => {
    expect(ids(context(buildPath(...conversation(4), compactionLink('c', 's', 'm3'), ...conversation(2, 5))))).toEqual([
      'c',
      'm3',
      'm4',
      'm5',
      'm6',
    ]);
  });

  test('[X3, X5] each branch has its own compactions: the second diagram of the session format', () => {
    const stem = conversation(3);
    const old = buildPath(
      ...stem,
      ...conversation(2, 4),
      compactionLink('compaction1', 'one', 'm4'),
      ...conversation(3, 6),
    );
    const current = buildPath(
      ...stem,
      markerLink('stack_summary', 'branch-summary', 'm4 to m8 were a detour'),
      ...conversation(2, 9),
      compactionLink('compaction2', 'two', 'm9'),
      ...conversation(1, 11),
    );
    expect(ids(context(old))).toEqual(['compaction1', 'm4', 'm5', 'm6', 'm7', 'm8']);
    expect(ids(context(current))).toEqual(['compaction2', 'm9', 'm10', 'm11']);
    const keepingTheSummary = current.map((node) =>
      node.id === 'compaction2' ? { ...node, marker: { firstKept: nodeId('stack_summary') } } : node,
    );
    expect(ids(context(keepingTheSummary))).toEqual(['compaction2', 'stack_summary', 'm9', 'm10', 'm11']);
  });

  test('[X4] the last compaction counts, and may keep messages that an earlier one kept', () => {
    const path = buildPath(
      ...conversation(4),
      compactionLink('c1', 'old', 'm2'),
      ...conversation(2, 5),
      compactionLink('c2', 'new', 'm4'),
      ...conversation(1, 7),
    );
    const found = context(path);
    expect(ids(found)).toEqual(['c2', 'm4', 'm5', 'm6', 'm7']);
    expect(found.compaction?.summary).toBe('new');
  });

  test('[X7] a compaction without a first kept node is flagged; the context is its summary and the messages after it', () => {
    const found = context(buildPath(...conversation(4), compactionLink('c', 's'), ...conversation(1, 5)));
    expect(ids(found)).toEqual(['c', 'm5']);
    expect(found.flags).toEqual([{ code: 'nothing-kept', nodeId: 'c' }]);
  });

  test.each([
    ['elsewhere', 'off'],
    ['below it', 'm5'],
    ['in itself', 'c'],
  ])('[X7] a first kept node %s is flagged', (_, kept) => {
    const found = context(buildPath(...conversation(4), compactionLink('c', 's', kept), ...conversation(1, 5)));
    expect(ids(found)).toEqual(['c', 'm5']);
    expect(found.flags).toEqual([{ code: 'kept-off-path', nodeId: 'c' }]);
  });

  test('[X6] an excluded compaction has no effect', () => {
    const links = [...conversation(4), compactionLink('c1', 's', 'm3'), ...conversation(1, 5)];
    const excluded = { ...compactionLink('c2', 't', 'm5'), meta: { excluded: true } };
    expect(ids(context(buildPath(...links, excluded)))).toEqual(['c1', 'm3', 'm4', 'm5']);
    expect(ids(context(buildPath(...conversation(2), excluded)))).toEqual(['m1', 'm2']);
  });

  test('[X3, X6] an excluded node or an extension state can be the first kept node', () => {
    const path = buildPath(
      ...conversation(2),
      textLink('x', 'user', 'left out', { excluded: true }),
      markerLink('s', 'state', '{}'),
      ...conversation(1, 3),
    );
    for (const kept of ['x', 's'])
      expect(ids(context([...path, ...buildPath(compactionLink('c', 'sum', kept))]))).toEqual(['c', 'm3']);
  });
});

describe('markers', () => {
  test('[X5] the example session of the session format gives exactly the context that it lists', () => {
    const stem = [textLink('m1', 'user', 'Build a CLI'), textLink('m2', 'assistant', "I'll create...")];
    const path = buildPath(
      ...stem,
      markerLink('bs1', 'branch-summary', 'Attempted Node.js CLI with --verbose flag'),
      textLink('m7', 'user', 'Use Rust instead'),
      textLink('m8', 'assistant', 'Creating Rust CLI...'),
    );
    const summary = textMessage('system', 'Attempted Node.js CLI with --verbose flag');
    expect(context(path).entries.map(({ kind, message: shown }) => [kind, shown])).toEqual([
      ['message', textMessage('user', 'Build a CLI')],
      ['message', textMessage('assistant', "I'll create...")],
      ['branch-summary', buildBranchSummaryMessage(summary)],
      ['message', textMessage('user', 'Use Rust instead')],
      ['message', textMessage('assistant', 'Creating Rust CLI...')],
    ]);
  });

  test('[X5] after several returns the context has the messages and summaries in path order', () => {
    const path = buildPath(
      ...['a', 'b', 'c'].map((id) => textLink(id, 'user', id)),
      markerLink('i', 'branch-summary', 'd to h'),
      ...['j', 'k'].map((id) => textLink(id, 'user', id)),
      markerLink('m', 'branch-summary', 'l'),
      textLink('n', 'user', 'n'),
    );
    expect(ids(context(path))).toEqual(['a', 'b', 'c', 'i', 'j', 'k', 'm', 'n']);
  });

  test('[X5] an injected message is in the context at its position, whatever its role', () => {
    const path = buildPath(
      ...conversation(1),
      markerLink('i1', 'injected', 'note'),
      markerLink('i2', 'injected', 'more', {}, 'user'),
      ...conversation(1, 2),
    );
    const found = context(path);
    expect(found.entries.map(({ nodeId: id, kind }) => [id, kind])).toEqual([
      ['m1', 'message'],
      ['i1', 'injected'],
      ['i2', 'injected'],
      ['m2', 'message'],
    ]);
    expect(found.entries[1]?.message).toEqual(textMessage('system', 'note'));
  });

  test('[X6] extension state and excluded nodes of every kind are left out', () => {
    const out = { excluded: true };
    const path = buildPath(
      textLink('x1', 'user', 'no', out),
      markerLink('s', 'state', '{}'),
      ...conversation(1),
      { ...markerLink('x2', 'injected', 'no'), meta: out },
      { ...markerLink('x3', 'branch-summary', 'no'), meta: out },
      textLink('kept', 'user', 'yes', { excluded: false }),
    );
    expect(ids(context(path))).toEqual(['m1', 'kept']);
  });

  test('[X8] summaries are user messages in wrappers, and the wrapper texts can be replaced', () => {
    const path = buildPath(
      ...conversation(2),
      compactionLink('c', 'the sum', 'm2'),
      markerLink('b', 'branch-summary', 'the branch'),
    );
    const [summary, , branch] = context(path).entries;
    expect(summary?.message.role).toBe('user');
    expect(textOf(summary?.message ?? textMessage('user', ''))).toBe(
      `${contextTexts.summary.before}the sum${contextTexts.summary.after}`,
    );
    expect(textOf(branch?.message ?? textMessage('user', ''))).toBe(
      `${contextTexts.branchSummary.before}the branch${contextTexts.branchSummary.after}`,
    );
    const words = { ...contextTexts, summary: { before: '[', after: ']' } };
    expect(context(path, { words }).entries[0]?.message).toEqual(textMessage('user', '[the sum]'));
  });

  test('[X8] wrappers are on separate lines, also when neighbours are coalesced', () => {
    const path = buildPath(
      textLink('u1', 'user', 'before'),
      markerLink('b', 'branch-summary', 'sum'),
      textLink('u2', 'user', 'after'),
    );
    const [only, ...rest] = coalesceMessages(context(path).entries.map((entry) => entry.message));
    expect(rest).toEqual([]);
    const lines = textOf(only ?? textMessage('user', '')).split('\n');
    for (const line of ['before', '<branch-summary>', 'sum', '</branch-summary>', 'after'])
      expect(lines).toContain(line);
  });
});

describe('how much of the path is read', () => {
  test('[X10] a part of the path that contains the whole context gives the same context as the whole path', () => {
    fc.assert(
      fc.property(arbitraryPathWithMarkers, fc.nat(), (path, cut) => {
        const part = path.slice(cut % (path.length + 1));
        const whole = context(path);
        if (isPathEnoughForContext(part)) expect(context(part)).toEqual(whole);
        const compaction = path.find((node) => node.id === whole.compaction?.nodeId);
        if (compaction !== undefined && whole.flags.length === 0)
          expect(isPathEnoughForContext(part)).toBe(part.some((node) => node.id === compaction.marker?.firstKept));
      }),
    );
  });

  test('[X10] the path is read in growing parts, up to the first kept node and not to the root', () => {
    const path = buildPathFrom([
      ...conversation(20_000),
      compactionLink('c', 's', 'm19901'),
      ...conversation(50, 20_001),
    ]);
    const asked: number[] = [];
    const read = runReads(readContextPath(nodeId('m20050')), (question) => {
      if (question.ask !== 'path') throw new Error(`a context asks for a path, not for ${question.ask}`);
      const limit = question.limit ?? path.length;
      asked.push(limit);
      return above(path, question.to, limit);
    });
    expect(asked).toEqual([64, 256]);
    expect(context(read)).toEqual(context(path));
  });

  test('[X10] a path without a compaction is read to its first turn', () => {
    const path = buildPath(...conversation(300));
    const read = runReads(readContextPath(nodeId('m300')), (question) => {
      if (question.ask !== 'path') throw new Error(`a context asks for a path, not for ${question.ask}`);
      return above(path, question.to, question.limit ?? 0);
    });
    expect(read).toEqual(path);
  });

  test('[X10] after a compaction at the end of a long path, no node above it is read', () => {
    const path = buildPathFrom([...conversation(1000), compactionLink('c', 's', 'm999'), ...conversation(1, 1001)]);
    const seen = new Set<string | symbol>();
    const watched = new Proxy(path, {
      get(target, key) {
        seen.add(key);
        return Reflect.get(target, key);
      },
    });
    expect(ids(context(watched))).toEqual(['c', 'm999', 'm1000', 'm1001']);
    const indexes = [...seen].map(Number).filter((key) => Number.isInteger(key));
    expect(Math.min(...indexes)).toBe(998);
  });

  test('[X11] the input is not changed', () => {
    fc.assert(
      fc.property(arbitraryPathWithMarkers, (path) => {
        const before = structuredClone(path);
        context(path, { systemPrompt: 'p' });
        expect(path).toEqual(before);
      }),
    );
  });

  test('[X11] a chain of 100,000 works, with a compaction at its beginning and without one', () => {
    const path = buildPathFrom(conversation(100_000));
    expect(context(path).entries).toHaveLength(100_000);
    expect(context([...path, ...buildPath(compactionLink('c', 's', 'm1'))]).entries).toHaveLength(100_001);
  });
});
