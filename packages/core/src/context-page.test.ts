import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextOf } from './context.ts';
import { type ContextPage, readContextPage } from './context-page.ts';
import { nodeId } from './ids.ts';
import type { Node } from './node.ts';
import { type Answer, type Read, runReads } from './reads.ts';
import { arbitraryPathWithMarkers } from './testing/arbitrary-paths.ts';
import { buildPath, buildPathFrom, countingKit, textLink, toolCallLink, toolResultLink } from './testing/chain.ts';

const systemPrompt = 'Be brief.';

/** Answers reads like a store, and counts the nodes whose contents were read. */
function readerOf(path: readonly Node[]) {
  let contents = 0;
  const answer = (read: Read): Answer => {
    if (read.ask === 'pathMeta') {
      const end = path.findIndex((node) => node.id === read.to) + 1;
      const limit = read.limit ?? end;
      return { entries: path.slice(Math.max(0, end - limit), end), complete: limit >= end };
    }
    if (read.ask !== 'nodes') throw new Error(`A page of a context does not ask for ${read.ask}.`);
    contents += read.ids.length;
    return path.filter((node) => read.ids.includes(node.id));
  };
  return {
    read: (limit: number, before?: string | null) =>
      runReads(
        readContextPage(path.at(-1)?.id ?? null, {
          kit: countingKit,
          systemPrompt,
          limit,
          ...(before === undefined || before === null ? {} : { before: nodeId(before) }),
        }),
        answer,
      ),
    contents: () => contents,
  };
}

function isHead({ kind }: ContextPage['entries'][number]): boolean {
  return kind === 'system-prompt' || kind === 'summary';
}

test('[X37] the pages joined are the context, and every page has the token count of the whole', () => {
  fc.assert(
    fc.property(arbitraryPathWithMarkers, fc.integer({ min: 1, max: 9 }), (path, limit) => {
      const whole = contextOf(path, { kit: countingKit, systemPrompt });
      const reader = readerOf(path);
      const joined: ContextPage['entries'][number][] = [];
      let before: string | null | undefined;
      do {
        const page: ContextPage = reader.read(limit, before);
        const { tokens, estimate, compaction, flags, count, shares } = page;
        expect({ tokens, estimate, compaction, flags }).toEqual({
          tokens: whole.tokens,
          estimate: whole.estimate,
          compaction: whole.compaction,
          flags: whole.flags,
        });
        expect(count).toBe(whole.entries.length);
        expect(shares.system + shares.summaries + shares.messages + shares.tools).toBe(whole.tokens);
        expect(page.entries.filter(isHead)).toEqual(whole.entries.filter(isHead));
        joined.unshift(...page.entries.filter((entry) => !isHead(entry)));
        before = page.before;
      } while (before !== null);
      expect(joined).toEqual(whole.entries.filter((entry) => !isHead(entry)));
    }),
  );
});

test('[X37] a page reads only the contents of its own messages, on a chain of 30,000', () => {
  const path = buildPathFrom(
    Array.from({ length: 30_000 }, (_, at) => textLink(`m${at}`, at % 2 === 0 ? 'user' : 'assistant', 'x')),
  );
  const reader = readerOf(path);
  const page = reader.read(50);
  expect([page.count, page.entries.length, page.before]).toEqual([30_001, 51, 'm29950']);
  expect(reader.contents()).toBe(50);
});

test('[X37] a page never starts with a tool result, and a cursor outside the context is refused', () => {
  const path = buildPath(
    textLink('a', 'user', 'go'),
    toolCallLink('b', 'k1', 'k2'),
    toolResultLink('c', 'k1', 'one'),
    toolResultLink('d', 'k2', 'two'),
  );
  const reader = readerOf(path);
  expect(reader.read(1).entries.map((entry) => entry.nodeId)).toEqual([null, 'b', 'c', 'd']);
  expect(() => reader.read(1, 'elsewhere')).toThrow(expect.objectContaining({ code: 'tree/not-on-path' }));
});
