import { textMessage } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportedNode, ImportedTree } from './contract.ts';
import { type RepairedTree, repairTree } from './repair.ts';

const say = (id: string, parent: string | null, rest: Partial<ImportedNode> = {}): ImportedNode => ({
  externalId: id,
  parentExternalId: parent,
  message: textMessage('user', `I am ${id}`),
  place: `file.${id}`,
  ...rest,
});

const tree = (nodes: readonly ImportedNode[], rest: Partial<ImportedTree> = {}): ImportedTree => ({
  externalId: 't',
  scope: '',
  nodes,
  place: 'file',
  findings: [],
  ...rest,
});

const codes = ({ findings }: RepairedTree) =>
  findings.map((one) => one.code).filter((one) => one !== 'import/active-inferred');
const shape = ({ nodes }: RepairedTree) => nodes.map((node) => `${node.parentExternalId ?? '-'}>${node.externalId}`);

describe('a foreign tree that is broken', () => {
  it('[I40] makes orphans and messages that are their own parent children of the root, flagged', () => {
    const repaired = repairTree(tree([say('a', 'nobody'), say('b', 'b'), say('c', 'a')]));
    expect(shape(repaired)).toEqual(['->a', 'a>c', '->b']);
    expect(codes(repaired)).toEqual(['import/orphan', 'import/self-parent']);
    expect(repaired.findings[0]?.message).toBe(
      'file.a: its parent is missing: made a child of the root (parent "nobody").',
    );
  });

  it('[I41] has cycles cut at one node, and keeps every message of them', () => {
    const repaired = repairTree(
      tree([say('a', 'c'), say('b', 'a'), say('c', 'b'), say('d', 'c'), say('x', 'y'), say('y', 'x')]),
    );
    expect(shape(repaired)).toEqual(['->a', 'a>b', 'b>c', 'c>d', '->x', 'x>y']);
    expect(codes(repaired)).toEqual(['import/cycle', 'import/cycle']);
  });

  it('[I42] keeps a repeated record once, and another record with a used id under a new id', () => {
    const repaired = repairTree(
      tree([say('a', null), say('a', null), say('a', null, { message: textMessage('user', 'x') }), say('b', 'a')]),
    );
    expect(shape(repaired)).toEqual(['->a', 'a>b', '->a#2']);
    expect(codes(repaired)).toEqual(['import/duplicate', 'import/duplicate-id']);
    expect([repaired.records, repaired.merged, repaired.rejected]).toEqual([4, 1, 0]);
  });

  it('[I43] keeps the order of children that the source lists, uses the parents if lists are wrong, and reports it', () => {
    const nodes = [say('q', null), say('a', 'q'), say('b', 'q'), say('c', 'q')];
    const order = (list: readonly string[]) => repairTree(tree(nodes, { childOrder: new Map([['q', list]]) }));
    expect(
      order(['c', 'a', 'b'])
        .nodes.filter((one) => one.parentExternalId === 'q')
        .toSorted((a, b) => a.order - b.order)
        .map((one) => one.externalId),
    ).toEqual(['c', 'a', 'b']);
    expect(codes(order(['c', 'a', 'b']))).toEqual([]);
    const wrong = order(['c', 'ghost', 'q', 'c']);
    expect(codes(wrong)).toEqual(['import/children-mismatch']);
    expect(wrong.nodes.find((one) => one.externalId === 'c')?.order).toBe(0);
  });

  it('[I44] keeps a blank or malformed message as a marker with its record', () => {
    const repaired = repairTree(
      tree([
        say('a', null, { message: textMessage('user', ' ') }),
        say('b', 'a', { message: { role: 'pirate', content: 'arr' }, record: { arr: 1 } }),
        say('c', 'b', { message: null }),
        say('d', 'c', { message: { role: 'assistant', content: 'hi' } }),
        say('e', 'd', { message: textMessage('assistant', ''), status: 'interrupted' }),
      ]),
    );
    expect(repaired.nodes.map((one) => one.kind)).toEqual(['state', 'state', 'state', 'message', 'message']);
    expect(repaired.nodes[1]?.record).toEqual({ arr: 1 });
    expect(repaired.nodes[3]?.message).toEqual(textMessage('assistant', 'hi'));
    expect(codes(repaired)).toEqual(['import/blank-message', 'import/message-unreadable', 'import/blank-message']);
  });

  it('[I250] keeps all calls with one id: the first with the id, the others with new ones', () => {
    const use = (id: string, name: string) => ({ type: 'tool-use', id, name, parameters: {} });
    const text = { type: 'text', text: 'Both.' };
    const called = ['f', 'g'].map((name) => ({ id: 'c', type: 'function', function: { name, arguments: '{}' } }));
    const repaired = repairTree(
      tree([
        say('a', null, { message: { role: 'assistant', content: [text, use('c', 'f'), use('c', 'g')] } }),
        say('b', 'a', { message: { role: 'assistant', content: 'Both.', tool_calls: called } }),
        say('c', 'b', { message: { role: 'user', content: [text, use('c', 'f'), use('c', 'g')] } }),
      ]),
    );
    const both = { role: 'assistant', content: [text, use('c', 'f'), use('c#2', 'g')] };
    expect(repaired.nodes.slice(0, 2).map(({ kind, message }) => [kind, message])).toEqual([
      ['message', both],
      ['message', both],
    ]);
    // A message that remains unreadable is reported once, by its own fault.
    expect(codes(repaired)).toEqual(['import/duplicate-id', 'import/duplicate-id', 'import/message-unreadable']);
  });

  it('[I45] is ordered by time, parents first, whatever the order of its records', () => {
    const repaired = repairTree(
      tree([say('c', 'a', { createdAt: 2 }), say('b', 'a', { createdAt: 1 }), say('a', null, { createdAt: 5 })]),
    );
    expect(repaired.nodes.map((one) => one.externalId)).toEqual(['a', 'c', 'b']);
    const timed = repairTree(
      tree([say('a', null, { createdAt: 1 }), say('c', 'a', { createdAt: 9 }), say('b', 'a', { createdAt: 3 })]),
    );
    expect(timed.nodes.map((one) => one.externalId)).toEqual(['a', 'b', 'c']);
  });

  it('[I46] continues at the message that the source names, else at the newest one, with a report', () => {
    const nodes = [say('a', null), say('b', 'a'), say('c', 'a')];
    expect(repairTree(tree(nodes, { activeExternalId: 'b' })).activeExternalId).toBe('b');
    const gone = repairTree(tree(nodes, { activeExternalId: 'x' }));
    expect([gone.activeExternalId, codes(gone)]).toEqual(['c', ['import/active-missing']]);
    expect(repairTree(tree(nodes)).findings.map((one) => one.code)).toEqual(['import/active-inferred']);
    expect(repairTree(tree([])).activeExternalId).toBeNull();
  });

  it('[I47] gets a hash for an id past 512 bytes, and leaves out records that are too large or too deep', () => {
    const long = 'é'.repeat(300);
    const deep = JSON.parse('['.repeat(5000) + ']'.repeat(5000));
    const repaired = repairTree(
      tree([
        say(long, null),
        say('b', long, { record: JSON.parse(JSON.stringify({ x: 1 })) }),
        say('c', 'b', { record: deep }),
      ]),
    );
    expect(repaired.nodes[0]?.externalId).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(repaired.nodes[1]?.parentExternalId).toBe(repaired.nodes[0]?.externalId);
    expect(repaired.nodes[2]?.record).toBeUndefined();
    expect(codes(repaired)).toEqual(['import/record-too-large']);
  });

  it('[I48] is repaired at any depth and width without recursion', () => {
    const count = 100_000;
    const chain = Array.from({ length: count }, (_, index) =>
      say(`${index}`, index === 0 ? `${count - 1}` : `${index - 1}`),
    );
    const repaired = repairTree(tree(chain));
    expect(repaired.nodes.length).toBe(count);
    expect(codes(repaired)).toEqual(['import/cycle']);
    const wide = Array.from({ length: count }, (_, index) => say(`${index}`, index === 0 ? null : '0'));
    expect(repairTree(tree(wide)).nodes.length).toBe(count);
  });

  it('[I48] is repaired if all records have one id, each with a new id', () => {
    const count = 50_000;
    const same = Array.from({ length: count }, (_, index) =>
      say('same', null, { message: textMessage('user', `I am ${index}`) }),
    );
    const repaired = repairTree(tree(same));
    expect(repaired.nodes.length).toBe(count);
    expect(repaired.nodes.at(-1)?.externalId).toBe(`same#${count}`);
  });

  it('[I48] of any shape becomes a tree with every record accounted for', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__', 'constructor');
    const node = fc.record({ id, parent: fc.option(id), text: fc.constantFrom('x', 'y', ' ') });
    fc.assert(
      fc.property(
        fc.array(node, { maxLength: 12 }),
        fc.option(id),
        fc.array(fc.tuple(id, fc.array(id)), { maxLength: 4 }),
        (raw, active, lists) => {
          const nodes = raw.map((one) => say(one.id, one.parent, { message: textMessage('user', one.text) }));
          const repaired = repairTree(
            tree(nodes, { childOrder: new Map(lists), ...(active === null ? {} : { activeExternalId: active }) }),
          );
          const seen = new Set<string>();
          for (const one of repaired.nodes) {
            expect(one.parentExternalId === null || seen.has(one.parentExternalId)).toBe(true);
            expect(seen.has(one.externalId)).toBe(false);
            seen.add(one.externalId);
          }
          expect(repaired.records).toBe(raw.length);
          expect(repaired.nodes.length + repaired.merged).toBe(raw.length);
          expect(repaired.activeExternalId === null).toBe(raw.length === 0);
        },
      ),
      { numRuns: 300 },
    );
  });
});
