import fc from 'fast-check';
import type { Node } from '../node.ts';
import {
  buildPathFrom,
  compactionLink,
  markerLink,
  type PathLink,
  textLink,
  toolCallLink,
  toolResultLink,
} from './chain.ts';

type Draft = (id: string, before: readonly string[]) => PathLink;

const text = fc.string({ maxLength: 12, unit: 'grapheme' });
const callId = fc.constantFrom('k1', 'k2', 'k3');

const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constantFrom('user', 'assistant', 'system'), text).map(speaking) },
  {
    weight: 2,
    arbitrary: fc.uniqueArray(callId, { minLength: 1 }).map((calls) => (id: string) => toolCallLink(id, ...calls)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(callId, text).map(
      ([call, said]) =>
        (id: string) =>
          toolResultLink(id, call, said),
    ),
  },
  fc.tuple(fc.constantFrom('branch-summary', 'injected', 'state'), text).map(
    ([kind, said]) =>
      (id: string) =>
        markerLink(id, kind, said),
  ),
  fc
    .tuple(text, fc.option(fc.nat(), { nil: undefined }))
    .map(([words, kept]) => (id: string, before: readonly string[]) => {
      return compactionLink(
        id,
        words,
        kept === undefined ? undefined : (before[kept % (before.length + 1)] ?? 'elsewhere'),
      );
    }),
);

function speaking([role, words]: ['user' | 'assistant' | 'system', string]): Draft {
  return (id) => textLink(id, role, words);
}

/**
 * Generates paths with calls and results in any order, all kinds of markers, valid and invalid compactions, and
 * excluded nodes.
 */
export const arbitraryPathWithMarkers: fc.Arbitrary<Node[]> = fc
  .array(fc.tuple(draft, fc.boolean(), fc.boolean()), { maxLength: 30 })
  .map((drafts) => {
    const links: PathLink[] = [];
    const before: string[] = [];
    for (const [index, [make, rare, rarer]] of drafts.entries()) {
      const id = `n${index}`;
      const link = make(id, before);
      links.push(rare && rarer ? { ...link, meta: { excluded: true } } : link);
      before.push(id);
    }
    return buildPathFrom(links);
  });

/**
 * Generates paths without markers: user messages, replies, and tool exchanges whose results may be missing, late or out
 * of order.
 */
export const arbitraryMessagePath: fc.Arbitrary<Node[]> = arbitraryPathWithMarkers.map((path) =>
  path.filter((node) => node.kind === 'message' && node.meta.excluded !== true),
);
