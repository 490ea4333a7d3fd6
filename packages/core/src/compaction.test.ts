import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CompactionCut,
  type CompactionCutOptions,
  chooseCompactionCut,
  compactionBudgetFor,
  isCompactionDue,
} from './compaction.ts';
import { type Context, type ContextEntry, contextOf } from './context.ts';
import { unwrapResult } from './errors.ts';
import { nodeId } from './ids.ts';
import { isToolUse } from './message.ts';
import type { Node } from './node.ts';
import { arbitraryMessagePath, arbitraryPathWithMarkers } from './testing/arbitrary-paths.ts';
import {
  buildPath,
  buildPathFrom,
  compactionLink,
  countingKit,
  markerLink,
  type PathLink,
  textLink,
  toolCallLink,
  toolResultLink,
} from './testing/chain.ts';

function context(path: readonly Node[], systemPrompt?: string): Context {
  return contextOf(path, { kit: countingKit, systemPrompt });
}

function ids(entries: readonly ContextEntry[]): (string | null)[] {
  return entries.map((entry) => entry.nodeId);
}

/** Returns the ids of the three parts of a cut: history, turn prefix and kept entries. */
function parts(cut: CompactionCut) {
  return [ids(cut.history), ids(cut.turnPrefix), ids(cut.kept)];
}

function cutOf(links: readonly PathLink[], options: CompactionCutOptions): CompactionCut {
  return unwrapResult(chooseCompactionCut(context(buildPathFrom(links)), options));
}

/** A message with the given number of tokens. */
function sized(id: string, role: 'user' | 'assistant', tokens: number): PathLink {
  return textLink(id, role, 'x'.repeat(tokens));
}

/** Turns of a question and an answer, ten tokens each. */
function turns(count: number, from = 1): PathLink[] {
  return Array.from({ length: count }, (_, at) => [
    sized(`u${at + from}`, 'user', 10),
    sized(`a${at + from}`, 'assistant', 10),
  ]).flat();
}

/** Returns the path after the compaction that a cut describes. */
function compactedPath(path: readonly Node[], cut: CompactionCut, id: string, summary = 'sum'): Node[] {
  return [...path, ...buildPath(compactionLink(id, summary, cut.firstKept ?? undefined))];
}

describe('budgets', () => {
  test.each([
    [200_000, 16_384, 20_000],
    [65_536, 16_384, 20_000],
    [32_000, 8_000, 10_666],
    [8_192, 2_048, 2_730],
  ])('[X28] a window of %i has a reserve of %i and keeps %i', (window, reserve, keep) => {
    expect(compactionBudgetFor(window)).toEqual({ reserve, keep, limit: window - reserve });
  });

  test('[X23, X28] the window of an unknown model is taken to be 8192', () => {
    expect(compactionBudgetFor()).toEqual(compactionBudgetFor(8192));
    expect(compactionBudgetFor(undefined)).toEqual(compactionBudgetFor(8192));
  });

  test('[X29] a compaction is due past the window less the reserve', () => {
    expect(isCompactionDue(24_000, 32_000)).toBe(false);
    expect(isCompactionDue(24_001, 32_000)).toBe(true);
    expect(isCompactionDue(183_616, 200_000)).toBe(false);
    expect(isCompactionDue(183_617, 200_000)).toBe(true);
  });

  test('[X29] a compaction is never due if the window is unknown', () => {
    expect(isCompactionDue(1e9, undefined)).toBe(false);
  });
});

describe('the cut', () => {
  test('[X30] the newest messages stay, as many as the budget holds', () => {
    const cut = cutOf(turns(4), { keep: 40 });
    expect(parts(cut)).toEqual([['u1', 'a1', 'u2', 'a2'], [], ['u3', 'a3', 'u4', 'a4']]);
    expect(cut).toMatchObject({ firstKept: 'u3', tokensKept: 40, previousSummary: null });
  });

  test('[X30] the system prompt and extension state do not count toward the kept messages', () => {
    const path = buildPath(...turns(2), markerLink('s', 'state', 'x'.repeat(1000)), ...turns(1, 3));
    const cut = unwrapResult(chooseCompactionCut(context(path, 'prompt'), { keep: 20 }));
    expect(parts(cut)).toEqual([['u1', 'a1', 'u2', 'a2'], [], ['u3', 'a3']]);
    expect(cut.tokensBefore).toBe(Math.ceil((60 + 6) * 1.1));
  });

  test('[X32] a turn may be split; its beginning is summarised separately', () => {
    const links = [
      ...turns(1),
      sized('u2', 'user', 10),
      toolCallLink('c1', 'k1'),
      toolResultLink('t1', 'k1', 'found'),
      toolCallLink('c2', 'k2'),
      toolResultLink('t2', 'k2', 'found'),
    ];
    expect(parts(cutOf(links, { keep: 20 }))).toEqual([
      ['u1', 'a1'],
      ['u2', 'c1', 't1'],
      ['c2', 't2'],
    ]);
  });

  test('[X32] a split in the first turn leaves no history to summarise', () => {
    const cut = cutOf(turns(1), { keep: 10 });
    expect(parts(cut)).toEqual([[], ['u1'], ['a1']]);
  });

  test('[X32] user messages in a row are one request, so a cut between them divides a turn', () => {
    const links = [...turns(1), sized('u2', 'user', 10), sized('u3', 'user', 10), sized('a3', 'assistant', 10)];
    expect(parts(cutOf(links, { keep: 20 }))).toEqual([['u1', 'a1'], ['u2'], ['u3', 'a3']]);
    expect(parts(cutOf(links, { keep: 30 }))).toEqual([['u1', 'a1'], [], ['u2', 'u3', 'a3']]);
  });

  test('[X32] a branch summary starts a turn', () => {
    const links = [...turns(2), markerLink('b', 'branch-summary', 's'), sized('u3', 'user', 10)];
    expect(parts(cutOf(links, { keep: 10 }))).toEqual([['u1', 'a1', 'u2', 'a2'], ['b'], ['u3']]);
    const summary = context(buildPath(markerLink('b', 'branch-summary', 's'))).tokens;
    expect(parts(cutOf(links, { keep: 10 + summary }))).toEqual([['u1', 'a1', 'u2', 'a2'], [], ['b', 'u3']]);
  });

  test('[X31] the cut is never between a tool call and its result', () => {
    const links = [
      ...turns(1),
      toolCallLink('c', 'k1', 'k2'),
      toolResultLink('t1', 'k1', '12345'),
      toolResultLink('t2', 'k2', '12345'),
    ];
    for (const keep of [0, 5, 10, 15, 29, 30])
      expect(parts(cutOf(links, { keep }))).toEqual([[], ['u1', 'a1'], ['c', 't1', 't2']]);
  });

  test('[X31] the cut is not between a call and its result even if another message is between them', () => {
    const links = [
      ...turns(1),
      toolCallLink('c', 'k'),
      sized('u2', 'user', 10),
      toolResultLink('t', 'k', '12345'),
      sized('a2', 'assistant', 10),
    ];
    expect(ids(cutOf(links, { keep: 25 }).kept)).toEqual(['a2']);
    expect(ids(cutOf(links, { keep: 35 }).kept)).toEqual(['c', 'u2', 't', 'a2']);
  });

  test('[X33] a huge last tool result is kept with its call, and everything before it is summarised', () => {
    const links = [...turns(3), toolCallLink('c', 'k'), toolResultLink('t', 'k', 'x'.repeat(100_000))];
    expect(parts(cutOf(links, { keep: 20 }))).toEqual([
      ['u1', 'a1', 'u2', 'a2'],
      ['u3', 'a3'],
      ['c', 't'],
    ]);
  });

  test('[X33] a huge last question is kept, whatever the limit', () => {
    const links = [...turns(2), sized('u3', 'user', 100_000)];
    expect(parts(cutOf(links, { keep: 20, limit: 1000 }))).toEqual([['u1', 'a1', 'u2', 'a2'], [], ['u3']]);
  });

  test('[X33] with a budget of zero, the smallest possible part is kept', () => {
    expect(ids(cutOf(turns(3), { keep: 0 }).kept)).toEqual(['a3']);
  });

  test('[X34] a finished tool exchange that cannot stay is summarised with its turn', () => {
    const links = [
      ...turns(2),
      sized('u3', 'user', 10),
      toolCallLink('c', 'k'),
      toolResultLink('t', 'k', 'x'.repeat(100_000)),
    ];
    const cut = cutOf(links, { keep: 20, limit: 1000 });
    expect(parts(cut)).toEqual([['u1', 'a1', 'u2', 'a2'], ['u3', 'c', 't'], []]);
    expect(cut).toMatchObject({ firstKept: null, tokensKept: 0 });
    const after = context(compactedPath(buildPathFrom(links), cut, 'sum'));
    expect(ids(after.entries)).toEqual(['sum']);
    expect(after.flags).toEqual([{ code: 'nothing-kept', nodeId: 'sum' }]);
  });

  test('[X34] a tool exchange that still waits for a result is kept', () => {
    const links = [...turns(2), toolCallLink('c', 'k1', 'k2'), toolResultLink('t', 'k1', 'x'.repeat(100_000))];
    expect(ids(cutOf(links, { keep: 20, limit: 1000 }).kept)).toEqual(['c', 't']);
  });

  test.each<[string, PathLink[], CompactionCutOptions]>([
    ['there is no message', [], { keep: 0 }],
    ['all fits the budget', turns(3), { keep: 60 }],
    ['there is one message', [sized('u', 'user', 1000)], { keep: 10 }],
    ['all is one exchange', [toolCallLink('c', 'k'), toolResultLink('t', 'k', 'x'.repeat(1000))], { keep: 10 }],
    ['nothing came since the last one', [...turns(2), compactionLink('c', 'sum', 'a2')], { keep: 0 }],
  ])('[X36] is refused when %s', (_, links, options) => {
    const refusal = chooseCompactionCut(context(buildPathFrom(links)), options);
    expect(refusal).toMatchObject({ ok: false, refusal: { code: 'context/nothing-to-compact', kind: 'refused' } });
  });
});

describe('a compaction after a compaction', () => {
  test('[X35] passes on the earlier summary and starts where the earlier kept part started', () => {
    const path = buildPathFrom([...turns(3), compactionLink('c1', 'u1 to a1', 'u2'), ...turns(2, 4)]);
    const cut = unwrapResult(chooseCompactionCut(context(path), { keep: 40 }));
    expect(cut.previousSummary).toBe('u1 to a1');
    expect(parts(cut)).toEqual([['u2', 'a2', 'u3', 'a3'], [], ['u4', 'a4', 'u5', 'a5']]);
  });

  test('[X4, X35] may cut inside the part that the earlier compaction kept', () => {
    const path = buildPathFrom([...turns(3), compactionLink('c1', 'u1 to a1', 'u2'), ...turns(1, 4)]);
    const cut = unwrapResult(chooseCompactionCut(context(path), { keep: 40 }));
    expect(parts(cut)).toEqual([['u2', 'a2'], [], ['u3', 'a3', 'u4', 'a4']]);
    const after = context(compactedPath(path, cut, 'c2'));
    expect(ids(after.entries)).toEqual(['c2', 'u3', 'a3', 'u4', 'a4']);
  });

  test('[X4, X30] two compactions lose nothing: every message is in exactly one summary or in the context', () => {
    fc.assert(
      fc.property(arbitraryMessagePath, arbitraryMessagePath, fc.nat(60), fc.nat(60), (first, second, keep1, keep2) => {
        const path1 = first;
        const cut1 = chooseCompactionCut(context(path1), { keep: keep1 });
        fc.pre(cut1.ok);
        const later = second.map((node) => ({ ...node, id: nodeId(`later-${node.id}`) }));
        const path2 = [...compactedPath(path1, cut1.value, 'c1', 'first'), ...later];
        const cut2 = chooseCompactionCut(context(path2), { keep: keep2 });
        fc.pre(cut2.ok);
        expect(cut2.value.previousSummary).toBe('first');
        const after = context(compactedPath(path2, cut2.value, 'c2', 'second'));
        const seen = [
          ...cut1.value.history,
          ...cut1.value.turnPrefix,
          ...cut2.value.history,
          ...cut2.value.turnPrefix,
          ...after.entries.filter((entry) => entry.kind === 'message'),
        ];
        expect(ids(seen)).toEqual([...first, ...later].map((node) => node.id));
      }),
    );
  });

  test('[X33, X36] repeated compaction ends in a refusal, never in an endless loop', () => {
    fc.assert(
      fc.property(arbitraryPathWithMarkers, fc.nat(40), (start, keep) => {
        let path: readonly Node[] = start;
        for (let round = 0; round <= start.length; round++) {
          const cut = chooseCompactionCut(context(path), { keep, limit: keep });
          if (!cut.ok) return;
          path = compactedPath(path, cut.value, `round-${round}`);
        }
        expect(chooseCompactionCut(context(path), { keep, limit: keep }).ok).toBe(false);
      }),
    );
  });
});

describe('compacting any path', () => {
  const anyCut = fc.tuple(arbitraryPathWithMarkers, fc.nat(80), fc.option(fc.nat(80), { nil: undefined }));

  function eachCut(
    check: (cut: CompactionCut, found: Context, options: CompactionCutOptions, path: readonly Node[]) => void,
  ) {
    fc.assert(
      fc.property(anyCut, ([path, keep, limit]) => {
        const options = limit === undefined ? { keep } : { keep, limit };
        const found = context(path);
        const cut = chooseCompactionCut(found, options);
        fc.pre(cut.ok);
        check(cut.value, found, options, path);
      }),
    );
  }

  test('[X30, X35] the three parts together are everything in the context except the earlier summary, in order', () => {
    eachCut((cut, found) => {
      const content = found.entries.filter((entry) => entry.kind !== 'summary');
      expect([...cut.history, ...cut.turnPrefix, ...cut.kept]).toEqual(content);
      expect(cut.history.length + cut.turnPrefix.length).toBeGreaterThan(0);
      expect(cut.firstKept).toBe(cut.kept[0]?.nodeId ?? null);
      expect(cut.previousSummary).toBe(found.compaction?.summary ?? null);
    });
  });

  test('[X31] the kept part does not start with a tool message, and no result is kept without its call', () => {
    eachCut((cut) => {
      expect(cut.kept[0]?.message.role).not.toBe('tool');
      const open = new Set<string>();
      for (const { message } of [...cut.history, ...cut.turnPrefix]) {
        if (message.role === 'tool') open.delete(message.tool_call_id ?? '');
        for (const block of message.content) if (isToolUse(block)) open.add(block.id);
      }
      for (const { message } of cut.kept) {
        if (message.role === 'tool') expect(open.has(message.tool_call_id ?? '')).toBe(false);
        for (const block of message.content) if (isToolUse(block)) open.delete(block.id);
      }
    });
  });

  test('[X30, X33] the kept part fits the budget, or could not be smaller', () => {
    eachCut((cut, found, { keep }) => {
      if (cut.tokensKept <= keep || cut.firstKept === null) return;
      const least = chooseCompactionCut(found, { keep: 0 });
      expect(least.ok && least.value.firstKept).toBe(cut.firstKept);
    });
  });

  test('[X3, X30] after the compaction the context is its summary and the kept part', () => {
    eachCut((cut, _found, _options, path) => {
      const after = context(compactedPath(path, cut, 'sum'));
      expect(ids(after.entries)).toEqual(['sum', ...ids(cut.kept)]);
    });
  });

  test('[X32] the beginning of a split turn holds one request', () => {
    eachCut(({ history, turnPrefix, kept }) => {
      const all = [...history, ...turnPrefix, ...kept];
      const asks = (at: number) => all[at]?.message.role === 'user';
      for (let at = history.length + 1; at < history.length + turnPrefix.length; at++)
        expect(asks(at) && !asks(at - 1)).toBe(false);
      if (history.length > 0) expect(asks(history.length) && !asks(history.length - 1)).toBe(true);
    });
  });

  test('[X30] a path of a hundred thousand messages with unanswered calls is cut', () => {
    const links = Array.from({ length: 100_000 }, (_, at) =>
      at % 2 === 0 ? sized(`u${at}`, 'user', 1) : toolCallLink(`a${at}`, `k${at}`),
    );
    expect(cutOf(links, { keep: 110 }).kept).toHaveLength(20);
  });
});
