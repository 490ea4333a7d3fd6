import { actId, type NewNode, nodeId, textMessage, treeId } from '@coppice/core';
import { emptyTree } from '@coppice/core/tree';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSessionInMemory } from '../formats/session-in-memory.ts';
import { messageKit } from '../kit.ts';
import {
  buildHeaderSteps,
  decodeCommitLines,
  decodeEntry,
  detectDialect,
  encodeCommitLines,
  encodeNode,
  readSessionMessage,
  type SessionEntry,
  SessionIndex,
  sortParentsFirst,
  toNodeMarker,
  toPiLines,
} from './index.ts';

const same = (id: string) => id;
const id = (at: number) => `00000000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`;

const details = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('type', 'uuid', 'content', 'kind', 'at', 'node', 'summary', 'details')),
  fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
);
const node: fc.Arbitrary<NewNode> = fc
  .record({
    kind: fc.constantFrom('message', 'branch-summary', 'compaction', 'injected', 'state'),
    role: fc.constantFrom('user', 'assistant', 'system'),
    text: fc.string({ minLength: 1, unit: 'binary' }),
    status: fc.constantFrom('success', 'pending', 'interrupted', 'aborted', 'error'),
    groupId: fc.nat(5),
    createdAt: fc.integer(),
    meta: details,
    details: fc.option(details),
    firstKept: fc.boolean(),
  })
  .map(({ kind, role, text, status, groupId, createdAt, meta, details: reported, firstKept }): NewNode => {
    const message = textMessage(role, text);
    const marker = {
      ...(reported === null ? {} : { details: reported }),
      ...(firstKept && kind === 'compaction' ? { firstKept: nodeId(id(7)) } : {}),
    };
    return {
      id: nodeId(id(2)),
      parentId: nodeId(id(1)),
      position: 'a0',
      kind,
      message,
      status,
      groupId,
      createdAt,
      matchParent: nodeId(id(1)),
      key: kind === 'message' ? messageKit.key(message) : null,
      text: messageKit.text(message),
      tokens: messageKit.tokens(message),
      meta,
      marker: kind === 'message' ? null : marker,
      aliases: [],
    };
  });

describe('entries and nodes', () => {
  test('[JL1] any node survives encoding as an entry and JSON', () => {
    fc.assert(
      fc.property(node, (given) => {
        const entry: SessionEntry = JSON.parse(JSON.stringify(encodeNode(given, same, { position: given.position })));
        const { kind, message, status, meta, marker, createdAt, noted } = decodeEntry(entry);
        expect({
          kind,
          message,
          status,
          meta,
          marker: toNodeMarker(marker, same),
          createdAt,
          groupId: noted['groupId'] ?? 0,
        }).toEqual(
          JSON.parse(
            JSON.stringify({
              kind: given.kind,
              message: given.message,
              status: given.status,
              meta: given.meta,
              marker: given.marker,
              createdAt: given.createdAt,
              groupId: given.groupId,
            }),
          ),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('[JL2] steps are restored from the lines of their commit', () => {
    const tree = emptyTree(treeId(id(0)));
    const made = (at: number, parent: number): NewNode => {
      const message = textMessage('user', `said ${at}`);
      return {
        id: nodeId(id(at)),
        parentId: nodeId(id(parent)),
        position: 'a0',
        kind: 'message',
        message,
        status: 'success',
        groupId: 0,
        createdAt: 5,
        matchParent: nodeId(id(parent)),
        key: messageKit.key(message),
        text: messageKit.text(message),
        tokens: messageKit.tokens(message),
        meta: {},
        marker: null,
        aliases: [],
      };
    };
    const header = {
      type: 'session',
      version: 2,
      uuid: id(1),
      parentUuid: null,
      id: 's',
      timestamp: new Date(5).toISOString(),
    } as const;
    const first = buildHeaderSteps(header, { toNode: same });
    const steps = [
      ...first,
      { type: 'insert', node: made(2, 1) } as const,
      { type: 'insert', node: made(3, 2) } as const,
      { type: 'select', after: nodeId(id(3)), before: null } as const,
    ];
    const commit = {
      treeId: tree.id,
      version: 1,
      actId: actId('a'),
      actor: 'me',
      at: 5,
      kind: 'do',
      seq: 0,
      structural: true,
      steps,
    } as const;
    const [head, ...lines] = encodeCommitLines(commit, {
      before: null,
      fileId: same,
      newId: () => id(99),
      kit: messageKit,
      header: {},
    });
    expect(head).toMatchObject({ type: 'session', uuid: id(1), parentUuid: null });
    expect(lines.map(({ type }) => type)).toEqual(['message', 'message']);
    const reading = {
      toNode: same,
      parentOf: ({ parentUuid }: SessionEntry) => parentUuid ?? '',
      kit: messageKit,
      misfit: () => undefined,
    };
    expect(decodeCommitLines(tree, JSON.parse(JSON.stringify(lines)), reading, first)).toEqual(steps);
  });
});

describe('lines of other programs', () => {
  test('[JL3] the dialect is detected by the shape of the first lines', () => {
    expect(detectDialect([{ type: 'session', id: 'a' }])).toEqual({ dialect: 'v1' });
    expect(detectDialect([{ type: 'session', version: 2, uuid: 'a', id: 'a' }])).toEqual({ dialect: 'v2' });
    expect(detectDialect([{ type: 'session', version: 3, id: 'a' }])).toEqual({ dialect: 'pi' });
    expect(detectDialect([{ type: 'summary' }, { type: 'user', uuid: 'u', sessionId: 's' }])).toEqual({
      dialect: 'claude-code',
    });
    // A file of Coppice's format after pi has opened it.
    expect(detectDialect([{ type: 'session', version: 3, uuid: 'a', id: 'a' }])).toEqual({ dialect: 'v2' });
    expect(detectDialect([{ type: 'session', version: 4, uuid: 'a', id: 'a' }])).toEqual({ newer: 4 });
    expect(detectDialect([{ type: 'session', version: 9, id: 'a' }])).toEqual({ newer: 9 });
    expect(detectDialect([undefined, { type: 'message' }])).toHaveProperty('unknown');
  });

  test('[JL4] messages in the vocabulary of another tool are read and kept verbatim; nothing is dropped', () => {
    const result = {
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'ls',
      content: [{ type: 'text', text: 'a' }],
      isError: true,
    };
    expect(readSessionMessage(result)).toMatchObject({
      message: { role: 'tool', tool_call_id: 'c' },
      meta: { source: { tool_name: 'ls', is_error: true }, sessionRecord: result },
    });
    expect(readSessionMessage({ role: 'user', content: 'plain' })).toEqual({
      message: textMessage('user', 'plain'),
      kind: 'message',
      status: 'success',
      meta: {},
    });
    const failed = { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'x' };
    expect(readSessionMessage(failed)).toMatchObject({ status: 'error', meta: { sessionRecord: failed } });
    for (const odd of [null, 7, 'text', { role: 'martian', content: 'hi' }, { role: 'user' }])
      expect(() => readSessionMessage(odd)).not.toThrow();
    expect(JSON.stringify(readSessionMessage({ role: 'martian', content: 'hi' }).message)).toContain('martian');
  });

  test('[JL6] the first of several calls with one id keeps it, and the others get new ids', () => {
    const call = (type: string, rest: object) => ({ type, id: 'c', name: 'read', ...rest });
    const raw = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Both.' },
        call('toolCall', { arguments: { path: 'a' } }),
        call('toolCall', { arguments: { path: 'b' } }),
        call('tool_use', { input: { path: 'c' } }),
        { ...call('toolCall', { arguments: {} }), id: 'c#2' },
      ],
    };
    const { message, meta } = readSessionMessage(raw);
    expect(message.content).toEqual([
      { type: 'text', text: 'Both.' },
      { type: 'tool-use', id: 'c', name: 'read', parameters: { path: 'a' } },
      { type: 'tool-use', id: 'c#3', name: 'read', parameters: { path: 'b' } },
      { type: 'tool-use', id: 'c#4', name: 'read', parameters: { path: 'c' } },
      { type: 'tool-use', id: 'c#2', name: 'read', parameters: {} },
    ]);
    expect(meta.sessionRecord).toEqual(raw);
  });

  test('[JL5] parents come before children; entries with a missing parent, or in a cycle, are kept', () => {
    const entry = (uuid: string, parentUuid: string): SessionEntry => ({ type: 'message', uuid, parentUuid });
    const order = sortParentsFirst(
      [entry('c', 'b'), entry('b', 'a'), entry('x', 'y'), entry('y', 'x'), entry('lost', 'nobody'), entry('a', 'root')],
      'root',
    ).map(({ uuid }) => uuid);
    expect(order).toEqual(['a', 'b', 'c', 'lost', 'x', 'y']);
  });

  test('[JL5] 50,000 entries with one missing parent, and as many in one cycle, are kept in their order', () => {
    const orphans: SessionEntry[] = [];
    const circle: SessionEntry[] = [];
    for (let at = 0; at < 50_000; at++) {
      orphans.push({ type: 'message', uuid: `o${at}`, parentUuid: 'nobody' });
      circle.push({ type: 'message', uuid: `c${at}`, parentUuid: `c${(at + 49_999) % 50_000}` });
    }
    expect(sortParentsFirst([...circle, ...orphans], 'root')).toEqual([...orphans, ...circle]);
  });

  test('[JL5] two entries with the same id are both kept, even without a parent', () => {
    const twice: SessionEntry[] = [
      { type: 'message', uuid: 'a', parentUuid: 'nobody' },
      { type: 'message', uuid: 'a', parentUuid: 'nobody', content: 'other' },
      { type: 'message', uuid: 'b', parentUuid: 'a' },
    ];
    expect(sortParentsFirst(twice, 'root').map(({ content, uuid }) => [uuid, content])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['a', 'other'],
    ]);
  });
});

test('[I174] a message without a time gets the time of its parent in lines that require one', () => {
  const header = { type: 'session', version: 2, uuid: 'root', parentUuid: null, id: 's1' } as const;
  const said = (uuid: string, parentUuid: string, more: object = {}): SessionEntry => ({
    type: 'message',
    uuid,
    parentUuid,
    message: { role: 'user', content: uuid },
    ...more,
  });
  const entries = [said('a', 'root'), said('b', 'a', { timestamp: '2026-01-02T03:04:05.000Z' }), said('c', 'b')];
  const { lines } = toPiLines(new SessionIndex(buildSessionInMemory(header, entries)), 3, 1_767_400_000_000);
  expect(lines.map(({ timestamp }) => timestamp)).toEqual([
    '2026-01-03T00:26:40.000Z',
    '2026-01-03T00:26:40.000Z',
    '2026-01-02T03:04:05.000Z',
    '2026-01-02T03:04:05.000Z',
  ]);
});
