import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyOrThrow } from './apply.ts';
import { diff, diffBranches, diffMessages, diffText, splitWords, type TextDiffPart } from './diff.ts';
import { unwrapResult } from './errors.ts';
import { nodeId, treeId } from './ids.ts';
import { type Message, textMessage } from './message.ts';
import type { NewNode } from './node.ts';
import { positionBetween } from './position.ts';
import { diffSequences } from './sequence-diff.ts';
import type { Step } from './steps/types.ts';
import { buildPath, buildPathFrom, textLink, toolUseBlock } from './testing/chain.ts';
import { emptyTree, type Tree } from './tree.ts';

function grown(id: string, parentId: string | null, position = positionBetween(null, null)): NewNode {
  return {
    id: nodeId(id),
    parentId: parentId === null ? null : nodeId(parentId),
    position,
    kind: parentId === null ? 'root' : 'message',
    message: parentId === null ? null : textMessage('user', id),
    status: 'success',
    groupId: 0,
    createdAt: 0,
    matchParent: parentId === null ? null : nodeId(parentId),
    key: parentId === null ? null : id,
    text: id,
    tokens: 1,
    meta: {},
    marker: null,
    aliases: [],
  };
}

/** root → a → b → (c → d | e), and root → z */
function forked(): Tree {
  const second = positionBetween(positionBetween(null, null), null);
  const steps: Step[] = [
    grown('root', null),
    grown('a', 'root'),
    grown('b', 'a'),
    grown('c', 'b'),
    grown('d', 'c'),
    grown('e', 'b', second),
    grown('z', 'root', second),
  ].map((node) => ({ type: 'insert', node }));
  steps.push({ type: 'select', after: nodeId('d'), before: null });
  return applyOrThrow(emptyTree(treeId('t')), steps).tree;
}

function shape(tree: Tree, a: string, b: string) {
  const { common, shared, left, right } = unwrapResult(diff(tree, a, b));
  return [common, shared, left.map((node) => node.id), right.map((node) => node.id)];
}

describe('branches', () => {
  test('[D1] the result is the last shared node, the number of shared nodes, and the nodes of each side', () => {
    expect(shape(forked(), 'd', 'e')).toEqual(['b', 2, ['c', 'd'], ['e']]);
    expect(shape(forked(), 'e', 'd')).toEqual(['b', 2, ['e'], ['c', 'd']]);
  });

  test('[D2] branches that fork at the root share nothing', () => {
    expect(shape(forked(), 'c', 'z')).toEqual([null, 0, ['a', 'b', 'c'], ['z']]);
    expect(shape(forked(), 'root', 'a')).toEqual([null, 0, [], ['a']]);
  });

  test('[D2] a branch has no unshared nodes compared with itself or with a longer one', () => {
    expect(shape(forked(), 'd', 'd')).toEqual(['d', 4, [], []]);
    expect(shape(forked(), 'b', 'd')).toEqual(['b', 2, [], ['c', 'd']]);
  });

  test('[D3] an unknown node is refused by its id, on either side', () => {
    for (const [a, b] of [
      ['d', 'nobody'],
      ['nobody', 'd'],
    ] as const)
      expect(diff(forked(), a, b)).toMatchObject({
        ok: false,
        refusal: { code: 'tree/unknown-node', message: expect.stringContaining('nobody') },
      });
  });

  test('[D1] paths of 100,000 that fork at the end are compared', () => {
    const links = Array.from({ length: 100_000 }, (_, at) => textLink(`n${at}`, 'user', 'x'));
    const left = buildPathFrom(links);
    const right = [...left.slice(0, -1), ...buildPath(textLink('other', 'user', 'y'))];
    const found = diffBranches(left, right);
    expect([found.common, found.shared, found.left.length, found.right.length]).toEqual(['n99998', 99_999, 1, 1]);
  });

  test('[D1] shared and own nodes joined are the two paths', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 });
    fc.assert(
      fc.property(path, path, (one, other) => {
        // Each id contains the path to its node, so equal ids mean equal paths.
        const nodes = (way: readonly string[]) =>
          buildPathFrom(way.map((_, at) => textLink(way.slice(0, at + 1).join('/'), 'user', 'x')));
        const [a, b] = [nodes(one), nodes(other)];
        const { common, shared, left, right } = diffBranches(a, b);
        expect([...a.slice(0, shared), ...left]).toEqual(a);
        expect([...b.slice(0, shared), ...right]).toEqual(b);
        expect(common).toBe(a[shared - 1]?.id ?? null);
        expect(left[0]?.id === undefined || left[0].id !== right[0]?.id).toBe(true);
      }),
    );
  });
});

function joined(parts: readonly TextDiffPart[], without: 'removed' | 'added'): string {
  return parts
    .filter((part) => part.type !== without)
    .map((part) => part.text)
    .join('');
}

function short(parts: readonly TextDiffPart[]): string {
  const signs = { equal: '', removed: '-', added: '+' };
  return parts.map((part) => `${signs[part.type]}[${part.text}]`).join('');
}

describe('texts', () => {
  test.each([
    ['', '', ''],
    ['same words', 'same words', '[same words]'],
    ['', 'new', '+[new]'],
    ['old', '', '-[old]'],
    ['use Node here', 'use Rust here', '[use ]-[Node]+[Rust][ here]'],
    ['one two', 'one, two', '[one]+[,][ two]'],
    ['a b', 'a\nb', '[a]-[ ]+[\n][b]'],
    ['Hello world', 'hello world', '-[Hello]+[hello][ world]'],
    ['cat', 'cats', '-[cat]+[cats]'],
  ])('[D4] from %j to %j', (a, b, expected) => {
    expect(short(diffText(a, b))).toBe(expected);
  });

  test('[D6] white space between two replaced words is replaced with them', () => {
    expect(short(diffText('the old way.', 'a new path.'))).toBe('-[the old way]+[a new path][.]');
    expect(short(diffText('x a b y', 'x c d y'))).toBe('[x ]-[a b]+[c d][ y]');
  });

  test('[D6] white space beside a word that was only removed or only added stays', () => {
    expect(short(diffText('a b, c d', 'a, c'))).toBe('[a]-[ b][, c]-[ d]');
    expect(short(diffText('(foo b)', '( c)'))).toBe('[(]-[foo][ ]-[b]+[c][)]');
    expect(short(diffText('(b foo)', '(c )'))).toBe('[(]-[b]+[c][ ]-[foo][)]');
  });

  test.each([
    ["don't stop", ["don't", ' ', 'stop']],
    ['can’t', ['can’t']],
    ['漢字です', ['漢', '字', 'で', 'す']],
    ['abc漢', ['abc', '漢']],
    ['👨‍👩‍👧👍🏽', ['👨‍👩‍👧', '👍🏽']],
    ['🇩🇪🇫🇷', ['🇩🇪', '🇫🇷']],
    ['e\u0301te\u0301 x\u0301', ['e\u0301te\u0301', ' ', 'x\u0301']],
    ['नमस्ते', ['नमस्ते']],
    ['a_1, b!', ['a_1', ',', ' ', 'b', '!']],
    ['a\r\nb\n\n c', ['a', '\r\n', 'b', '\n', '\n', ' ', 'c']],
    ['x\ud800y', ['x', '\ud800', 'y']],
  ])('[D5] %j is cut between characters', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  test('[D5] an emoji whose skin tone changes is replaced as a whole', () => {
    expect(short(diffText('ok 👍🏽', 'ok 👍🏿'))).toBe('[ok ]-[👍🏽]+[👍🏿]');
  });

  test('[D5] a word of ten million letters is cut into pieces', () => {
    const text = 'a'.repeat(10_000_000);
    expect(splitWords(text).join('') === text).toBe(true);
  });

  const unit = fc.constantFrom(
    'a',
    'b',
    'cd',
    ' ',
    '\n',
    '.',
    'é',
    '漢',
    '👍🏽',
    '\ud83d',
    '\udc4d',
    "'",
    '\u0301',
    '\u200d',
  );
  const text = fc.string({ unit, maxLength: 60 });

  test('[D4] equal and removed parts are the first text, equal and added ones the second', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const parts = diffText(a, b);
        expect(joined(parts, 'added')).toBe(a);
        expect(joined(parts, 'removed')).toBe(b);
      }),
    );
  });

  test('[D4] no part is empty, and no two neighbours are of one kind', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const parts = diffText(a, b);
        for (const [index, part] of parts.entries()) {
          expect(part.text).not.toBe('');
          expect(part.type).not.toBe(parts[index - 1]?.type);
          if (part.type === 'removed') expect(parts[index - 1]?.type).not.toBe('added');
        }
      }),
    );
  });

  test('[D4, D5] words joined are the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text, (a, b) => {
        expect(splitWords(a + b).join('')).toBe(a + b);
      }),
    );
  });
});

describe('sequences', () => {
  const numbers = fc.array(fc.nat(3), { maxLength: 24 });

  /** Computes the length of the longest common subsequence by dynamic programming. */
  function longest(a: readonly number[], b: readonly number[]): number {
    let row = new Array<number>(b.length + 1).fill(0);
    for (const x of a) {
      const next = [0];
      for (const [at, y] of b.entries())
        next.push(x === y ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
      row = next;
    }
    return row[b.length] ?? 0;
  }

  test('[D7] unmarked elements are the longest common subsequence', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const { removed, added } = diffSequences(Int32Array.from(a), Int32Array.from(b));
        const left = a.filter((_, at) => removed[at] === 0);
        const right = b.filter((_, at) => added[at] === 0);
        expect(left).toEqual(right);
        expect(left).toHaveLength(longest(a, b));
      }),
      { numRuns: 500 },
    );
  });

  // Generates numbers deterministically, without runs that would make the diff easy.
  function noise(length: number, seed: number, kinds: number): Int32Array {
    let state = seed;
    return Int32Array.from({ length }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state % kinds;
    });
  }

  test.each([
    [300_000, 250_000, 10],
    [200_000, 1500, 40],
    [1500, 200_000, 40],
    [60_000, 60_000, 20_000],
  ])(
    '[D7] %i and %i very different elements are compared correctly after the shortest-path search gives up',
    (m, n, kinds) => {
      const a = noise(m, 1, kinds);
      const b = noise(n, 2, kinds);
      const { removed, added } = diffSequences(a, b);
      const left = a.filter((_, at) => removed[at] === 0);
      expect(left).toEqual(b.filter((_, at) => added[at] === 0));
      expect(left.length).toBeGreaterThan(0);
    },
  );

  test('[D7] a short sequence and a long one with little or nothing in common are compared in either order', () => {
    const long = noise(100_000, 1, 1_000_000);
    const strange = Int32Array.from({ length: 100 }, (_, at) => -1 - at);
    const few = Int32Array.from(strange, (value, at) => (at % 10 === 0 ? (long[at * 1000] ?? value) : value));
    for (const short of [strange, few])
      for (const [a, b] of [
        [long, short],
        [short, long],
      ] as const) {
        const { removed, added } = diffSequences(a, b);
        const left = a.filter((_, at) => removed[at] === 0);
        expect(left).toEqual(b.filter((_, at) => added[at] === 0));
        expect([removed.length, added.length]).toEqual([a.length, b.length]);
      }
  });

  test('[D7] two texts of 1 MB without a common word are compared', () => {
    const a = Array.from({ length: 160_000 }, (_, at) => `a${at}`).join(' ');
    const b = Array.from({ length: 160_000 }, (_, at) => `b${at}`).join('-');
    expect(Math.min(a.length, b.length)).toBeGreaterThan(1_000_000);
    expect(short(diffText(a, b)) === `-[${a}]+[${b}]`).toBe(true);
  });

  test('[D7] a few changes in 1 MB are found exactly', () => {
    const words = Array.from({ length: 160_000 }, (_, at) => `w${at % 5000}`);
    const edited = words.map((word, at) => (at % 16_000 === 8000 ? `${word}x` : word));
    const parts = diffText(words.join(' '), edited.join(' '));
    expect(parts.filter((part) => part.type === 'removed')).toHaveLength(10);
    expect(parts.filter((part) => part.type === 'added')).toHaveLength(10);
  });
});

describe('messages', () => {
  const image = (name: string) => ({ type: 'image', name });
  const words = (text: string) => ({ type: 'text', text });

  test('[D8] text is compared by words, other blocks as wholes, roles side by side', () => {
    const a: Message = { role: 'user', content: [words('see this'), image('one'), image('two')] };
    const b: Message = { role: 'assistant', content: [words('see that'), image('two'), image('three')] };
    const found = diffMessages(a, b);
    expect(found).toMatchObject({ equal: false, roles: ['user', 'assistant'] });
    expect(short(found.text)).toBe('[see ]-[this]+[that]');
    expect(found.blocks).toEqual([
      { type: 'removed', block: image('one') },
      { type: 'equal', block: image('two') },
      { type: 'added', block: image('three') },
    ]);
  });

  test('[D8] a replaced block is removed before the new one is added', () => {
    const a: Message = { role: 'user', content: [image('one')] };
    const b: Message = { role: 'user', content: [image('two')] };
    expect(diffMessages(a, b).blocks.map((part) => part.type)).toEqual(['removed', 'added']);
  });

  test('[D8] an added block is shown at its position', () => {
    const a: Message = { role: 'user', content: [image('two')] };
    const b: Message = { role: 'user', content: [image('one'), image('two'), image('three')] };
    expect(diffMessages(a, b).blocks).toEqual([
      { type: 'added', block: image('one') },
      { type: 'equal', block: image('two') },
      { type: 'added', block: image('three') },
    ]);
  });

  test('[D8] the division of text into blocks and the order of keys make no difference', () => {
    const a: Message = {
      role: 'assistant',
      content: [words('ab'), words('c'), toolUseBlock('k', { x: 1, y: [{ p: 1, q: null }] })],
    };
    const b: Message = {
      role: 'assistant',
      content: [words('a'), words('bc'), toolUseBlock('k', { y: [{ q: null, p: 1 }], x: 1 })],
    };
    const found = diffMessages(a, b);
    expect(found.equal).toBe(true);
    expect(short(found.text)).toBe('[abc]');
    expect(found.blocks.map((part) => part.type)).toEqual(['equal']);
  });

  test.each<[string, Message, Message]>([
    ['role', textMessage('user', 'x'), textMessage('assistant', 'x')],
    ['call', { ...textMessage('tool', 'x'), tool_call_id: 'k' }, { ...textMessage('tool', 'x'), tool_call_id: 'l' }],
    ['white space', textMessage('user', 'x'), textMessage('user', 'x ')],
    ['order', { role: 'user', content: [words('x'), image('i')] }, { role: 'user', content: [image('i'), words('x')] }],
    [
      'list order',
      { role: 'user', content: [toolUseBlock('k', { l: [1, 2] })] },
      { role: 'user', content: [toolUseBlock('k', { l: [2, 1] })] },
    ],
    [
      'number and text',
      { role: 'user', content: [toolUseBlock('k', { l: 1 })] },
      { role: 'user', content: [toolUseBlock('k', { l: '1' })] },
    ],
  ])('[D8] another %s is a difference', (_, a, b) => {
    expect(diffMessages(a, b).equal).toBe(false);
    expect(diffMessages(a, a).equal).toBe(true);
  });

  test('[D8] keys like __proto__ count, and blocks nested 100,000 deep are compared', () => {
    const proto = (value: number): Message => ({
      role: 'user',
      content: [JSON.parse(`{"type":"x","__proto__":${value}}`)],
    });
    expect(diffMessages(proto(1), proto(2)).equal).toBe(false);
    const deep = (core: string): Message => {
      let nest: readonly unknown[] = [core];
      for (let depth = 0; depth < 100_000; depth++) nest = [nest];
      const block = { type: 'x', nest };
      return { role: 'user', content: [block] };
    };
    expect(diffMessages(deep('a'), deep('b')).equal).toBe(false);
    expect(diffMessages(deep('a'), deep('a')).equal).toBe(true);
  });
});
