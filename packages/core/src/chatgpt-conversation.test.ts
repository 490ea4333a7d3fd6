import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CLIENT_ROOT_ID,
  type Conversation,
  type ConversationMapping,
  type ConversationMessage,
  type ConversationNode,
  createConversationFunctions,
} from './chatgpt-conversation.ts';
import { isAppError } from './errors.ts';
import type { Role } from './message.ts';
import { deepFreeze } from './testing/index.ts';

function functions() {
  let time = 1_000_000;
  let id = 0;
  const env = {
    now: () => {
      time += 1000;
      return time;
    },
    newId: () => {
      id += 1;
      return `new-${id}`;
    },
  };
  return createConversationFunctions(env);
}

const {
  addNode,
  createEmptyConversation,
  editMessage,
  getBranch,
  getCurrentThread,
  getNode,
  getSiblingIndex,
  getSiblings,
  navigateToSibling,
  prepareForRegeneration,
} = functions();

function message(id: string, role: Role = 'user', text: string = id): ConversationMessage {
  return { id, author: { role }, content: { content_type: 'text', parts: [text] }, create_time: 1 };
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
  return undefined;
}

/** The conversation is frozen, so that a function that changes its input throws. */
function conversationOf(mapping: ConversationMapping, current: string): Conversation {
  return deepFreeze({ id: 'c', title: 'New chat', create_time: 1, update_time: 1, mapping, current_node: current });
}

/** root → q → (a, b, c); a → t → u; b → v */
function sample(): Conversation {
  let { mapping } = createEmptyConversation('c');
  const add = (parent: string, id: string, role: Role) => {
    mapping = addNode(deepFreeze(mapping), parent, message(id, role));
  };
  add(CLIENT_ROOT_ID, 'q', 'user');
  for (const id of ['a', 'b', 'c']) add('q', id, 'assistant');
  add('a', 't', 'user');
  add('t', 'u', 'assistant');
  add('b', 'v', 'user');
  return conversationOf(mapping, 'u');
}

/**
 * Whether every key is the id of its node, every child is listed once by its parent, and exactly one node has no
 * parent.
 */
function isSound({ mapping, current_node }: Conversation): boolean {
  const entries = Object.entries(mapping);
  const listed = entries.flatMap(([, node]) => node.children);
  return (
    Object.hasOwn(mapping, current_node) &&
    entries.every(([key, node]) => key === node.id) &&
    entries.filter(([, node]) => node.parent === null).length === 1 &&
    new Set(listed).size === listed.length &&
    listed.length === entries.length - 1 &&
    entries.every(([, node]) => node.children.every((child) => mapping[child]?.parent === node.id))
  );
}

describe('reading', () => {
  test('[F1] an empty conversation has the client root alone, without a message, as its current node', () => {
    expect(CLIENT_ROOT_ID).toBe('client-created-root');
    expect(functions().createEmptyConversation('x')).toEqual({
      id: 'x',
      title: 'New chat',
      create_time: 1001,
      update_time: 1001,
      mapping: { [CLIENT_ROOT_ID]: { id: CLIENT_ROOT_ID, parent: null, children: [], message: null } },
      current_node: CLIENT_ROOT_ID,
    });
    expect(getCurrentThread(createEmptyConversation('x'))).toEqual([]);
  });

  test('[F2] a node is found by its own id, never by a property that every object inherits', () => {
    const { mapping } = sample();
    expect(getNode(mapping, 'a')).toBe(mapping.a);
    for (const id of ['none', '', '__proto__', 'constructor', 'toString']) expect(getNode(mapping, id)).toBeNull();
  });

  test('[F3] a branch runs from the root to the node, and is empty for an unknown one', () => {
    const { mapping } = sample();
    expect(getBranch(mapping, 'u')).toEqual([CLIENT_ROOT_ID, 'q', 'a', 't', 'u']);
    expect(getBranch(mapping, CLIENT_ROOT_ID)).toEqual([CLIENT_ROOT_ID]);
    expect(getBranch(mapping, 'none')).toEqual([]);
    expect(getBranch(mapping, '__proto__')).toEqual([]);
  });

  test('[F3] the current thread is the messages of that branch', () => {
    const conversation = sample();
    expect(getCurrentThread(conversation).map(({ id }) => id)).toEqual(['q', 'a', 't', 'u']);
    expect(getCurrentThread({ ...conversation, current_node: 'none' })).toEqual([]);
  });

  test('[F4] siblings are all variants in order, the node itself included', () => {
    const { mapping } = sample();
    expect(getSiblings(mapping, 'b')).toEqual(['a', 'b', 'c']);
    expect(getSiblings(mapping, CLIENT_ROOT_ID)).toEqual([CLIENT_ROOT_ID]);
    expect(getSiblings(mapping, 'none')).toEqual(['none']);
  });

  test('[F4] the list of siblings is a copy', () => {
    const { mapping } = sample();
    getSiblings(mapping, 'b').push('x');
    expect(getSiblings(mapping, 'b')).toEqual(['a', 'b', 'c']);
  });

  test('[F4] the sibling index is the position and the number of variants, 0 of 1 for a root, only child or unknown node', () => {
    const { mapping } = sample();
    expect(['a', 'b', 'c'].map((id) => getSiblingIndex(mapping, id))).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    for (const id of [CLIENT_ROOT_ID, 'q', 'u', 'none']) expect(getSiblingIndex(mapping, id)).toEqual([0, 1]);
  });
});

describe('adding', () => {
  test('[F5] a message becomes the last child of its parent, in a new mapping', () => {
    const { mapping } = sample();
    const added = message('d', 'assistant');
    const next = addNode(mapping, 'q', added);
    expect(next.d).toEqual({ id: 'd', parent: 'q', children: [], message: added });
    expect(next.d?.message).toBe(added);
    expect(next.q?.children).toEqual(['a', 'b', 'c', 'd']);
    expect(mapping.q?.children).toEqual(['a', 'b', 'c']);
    expect(next.u).toBe(mapping.u);
  });

  test('[F5] a message may still be blank, of any role, and of parts that are not text', () => {
    const { mapping } = sample();
    const odd: ConversationMessage = { ...message('odd'), content: { parts: [{ asset: 1 }, null, 'x'] } };
    const critic: unknown = { ...message('critic'), author: { role: 'critic' } };
    for (const one of [message('blank', 'assistant', ''), message('tool', 'tool'), odd, critic as ConversationMessage])
      expect(addNode(mapping, 'u', one)[one.id]?.message).toBe(one);
    const none: ConversationMessage = { ...message('none'), content: { parts: [] } };
    expect(addNode(mapping, 'u', none).none?.message).toBe(none);
  });

  test('[F6] an unknown parent, an empty id and an id that is taken, even by the parent itself, are refused', () => {
    const { mapping } = sample();
    expect(codeOf(() => addNode(mapping, 'none', message('x')))).toBe('tree/unknown-node');
    expect(codeOf(() => addNode(mapping, '__proto__', message('x')))).toBe('tree/unknown-node');
    expect(codeOf(() => addNode(mapping, 'u', message('a')))).toBe('id/taken');
    expect(codeOf(() => addNode(mapping, 'u', message('u')))).toBe('id/taken');
    expect(codeOf(() => addNode(mapping, 'x', message('x')))).toBe('tree/unknown-node');
    expect(codeOf(() => addNode(mapping, 'u', message('')))).toBe('id/invalid');
  });

  test.each([
    ['null', 'message/invalid'],
    ['{"author":{"role":"user"},"content":{"parts":["x"]}}', 'id/invalid'],
    ['{"id":5,"author":{"role":"user"},"content":{"parts":["x"]}}', 'id/invalid'],
    ['{"id":"x","content":{"parts":["x"]}}', 'message/invalid'],
    ['{"id":"x","author":{"role":"user"}}', 'message/invalid'],
  ])('[F6] a value that is not a message with an id is refused: %s', (json, code) => {
    const { mapping } = sample();
    expect(codeOf(() => addNode(mapping, CLIENT_ROOT_ID, JSON.parse(json)))).toBe(code);
  });

  test('[F7] an id such as __proto__ is an ordinary id', () => {
    for (const id of ['__proto__', 'constructor', 'hasOwnProperty']) {
      const { mapping } = sample();
      const next = deepFreeze(addNode(mapping, 'u', message(id)));
      expect(Object.getPrototypeOf(next)).toBe(Object.prototype);
      expect(getNode(next, id)?.parent).toBe('u');
      const deeper = deepFreeze(addNode(next, id, message('below', 'assistant')));
      expect(getBranch(deeper, 'below').slice(-2)).toEqual([id, 'below']);
      const { conversation, newMessageId } = editMessage(conversationOf(deeper, 'below'), id, 'other');
      expect(getSiblings(conversation.mapping, id)).toEqual([id, newMessageId]);
      expect(codeOf(() => addNode(next, 'u', message(id)))).toBe('id/taken');
      const parsed = JSON.parse(JSON.stringify(deeper));
      expect(getBranch(parsed, 'below')).toEqual(getBranch(deeper, 'below'));
    }
  });
});

describe('switching between variants', () => {
  test('[F8] next and prev wrap around, and select the leaf reached by last children', () => {
    const conversation = sample();
    const to = (id: string, direction: 'prev' | 'next') => navigateToSibling(conversation, id, direction).current_node;
    expect([to('a', 'next'), to('b', 'next'), to('c', 'next')]).toEqual(['v', 'c', 'u']);
    expect([to('a', 'prev'), to('b', 'prev'), to('c', 'prev')]).toEqual(['c', 'u', 'v']);
  });

  test('[F8] only the current node changes', () => {
    const conversation = sample();
    expect(navigateToSibling(conversation, 'a', 'next')).toEqual({ ...conversation, current_node: 'v' });
    expect(navigateToSibling(conversation, 'a', 'next').mapping).toBe(conversation.mapping);
  });

  test('[F9] the root, an only child, an unknown node and the current node give the same value', () => {
    const conversation = sample();
    for (const id of [CLIENT_ROOT_ID, 'q', 'u', 'none', '__proto__'])
      for (const direction of ['prev', 'next'] as const)
        expect(navigateToSibling(conversation, id, direction)).toBe(conversation);
    expect(navigateToSibling(conversation, 'c', 'next')).toBe(conversation);
  });
});

describe('editing', () => {
  test('[F10] an edit is a new last variant with the new text and the rest of the message, and becomes current', () => {
    const fns = functions();
    const base = sample();
    const q = base.mapping.q as ConversationNode;
    const metadata = { model: 'm', nested: { a: 1 } };
    const old = { ...message('q'), author: { role: 'user', name: 'n' }, metadata, update_time: 5 } as const;
    const conversation = conversationOf({ ...base.mapping, q: { ...q, message: old } }, 'u');
    const { conversation: next, newMessageId } = fns.editMessage(conversation, 'q', 'better');
    expect(newMessageId).toBe('new-1');
    expect(next.current_node).toBe(newMessageId);
    expect(getSiblings(next.mapping, 'q')).toEqual(['q', newMessageId]);
    const made = getNode(next.mapping, newMessageId)?.message;
    expect(made).toEqual({
      ...old,
      id: newMessageId,
      content: { content_type: 'text', parts: ['better'] },
      create_time: next.update_time,
    });
    expect(next.update_time).toBeGreaterThan(1000);
    expect(getBranch(next.mapping, 'u')).toEqual(getBranch(conversation.mapping, 'u'));
    expect(isSound(next)).toBe(true);
  });

  test('[F11] to equal text changes nothing', () => {
    const conversation = sample();
    for (const text of ['q', ' q\n']) {
      const { conversation: next, newMessageId } = editMessage(conversation, 'q', text);
      expect(next).toBe(conversation);
      expect(newMessageId).toBe('q');
    }
  });

  test('[F12] an unknown id, the root, a node without a message, a tool message and blank text are refused', () => {
    const { mapping } = sample();
    const silent: ConversationNode = { id: 'silent', parent: 'u', children: [], message: null };
    const more = { ...addNode(mapping, 'u', message('tool', 'tool')), silent };
    const conversation = conversationOf(more, 'u');
    const code = (id: string, text = 'new') => codeOf(() => editMessage(conversation, id, text));
    expect(code('none')).toBe('tree/unknown-node');
    expect(code('__proto__')).toBe('tree/unknown-node');
    expect(code(CLIENT_ROOT_ID)).toBe('tree/root-protected');
    expect(code('silent')).toBe('message/invalid');
    expect(code('tool')).toBe('message/is-tool');
    expect(code('q', ' \n')).toBe('message/blank');
    expect(code('q', JSON.parse('5'))).toBe('message/invalid');
  });

  test('[F12] a generator that repeats an id overwrites no node', () => {
    const stuck = createConversationFunctions({ now: () => 0, newId: () => 'a' });
    expect(codeOf(() => stuck.editMessage(sample(), 'q', 'new'))).toBe('id/taken');
  });
});

describe('regenerating', () => {
  test('[F13] gives the nearest user message above, and the conversation with it as its current node', () => {
    const conversation = sample();
    for (const [id, prompt] of [
      ['u', 't'],
      ['a', 'q'],
      ['c', 'q'],
      ['t', 'q'],
    ] as const) {
      const { conversation: next, promptNodeId } = prepareForRegeneration(conversation, id);
      expect(promptNodeId).toBe(prompt);
      expect(next).toEqual({ ...conversation, current_node: prompt, update_time: next.update_time });
      expect(next.mapping).toBe(conversation.mapping);
      expect(next.update_time).toBeGreaterThan(1000);
    }
  });

  test('[F13] the reply added there is a variant of the old one', () => {
    const { conversation, promptNodeId } = prepareForRegeneration(sample(), 'a');
    const mapping = addNode(conversation.mapping, promptNodeId ?? '', message('again', 'assistant'));
    expect(getSiblings(mapping, 'a')).toEqual(['a', 'b', 'c', 'again']);
  });

  test('[F13] finds the prompt above tool calls and their results', () => {
    let { mapping } = sample();
    for (const [parent, id, role] of [
      ['t', 'call', 'assistant'],
      ['call', 'result', 'tool'],
      ['result', 'end', 'assistant'],
    ] as const)
      mapping = addNode(mapping, parent, message(id, role));
    expect(prepareForRegeneration(conversationOf(mapping, 'end'), 'end').promptNodeId).toBe('t');
  });

  test('[F14] regenerating without a user message above, at the root or at an unknown node gives null and the same value', () => {
    const conversation = sample();
    for (const id of ['q', CLIENT_ROOT_ID, 'none', '__proto__']) {
      const { conversation: next, promptNodeId } = prepareForRegeneration(conversation, id);
      expect(promptNodeId).toBeNull();
      expect(next).toBe(conversation);
    }
  });

  test('[F14] a user message that is its own root is found', () => {
    const mapping: ConversationMapping = {
      q: { id: 'q', parent: null, children: ['a'], message: message('q') },
      a: { id: 'a', parent: 'q', children: [], message: message('a', 'assistant') },
    };
    expect(prepareForRegeneration(conversationOf(mapping, 'a'), 'a').promptNodeId).toBe('q');
  });
});

describe('foreign mappings', () => {
  test('[F15] a mapping with a cycle is read without an endless loop', () => {
    const mapping: ConversationMapping = {
      a: { id: 'a', parent: 'b', children: ['b', 'c'], message: message('a', 'assistant') },
      b: { id: 'b', parent: 'a', children: ['a'], message: message('b', 'assistant') },
      c: { id: 'c', parent: 'a', children: ['a'], message: message('c') },
      own: { id: 'own', parent: 'own', children: ['own'], message: message('own') },
    };
    const conversation = conversationOf(mapping, 'b');
    expect(getBranch(mapping, 'b')).toEqual(['a', 'b']);
    expect(getBranch(mapping, 'own')).toEqual(['own']);
    expect(getCurrentThread(conversation)).toHaveLength(2);
    expect(navigateToSibling(conversation, 'b', 'next').current_node).toBe('a');
    expect(navigateToSibling(conversation, 'own', 'next')).toBe(conversation);
    expect(prepareForRegeneration(conversation, 'b').promptNodeId).toBeNull();
    expect(prepareForRegeneration(conversation, 'own').promptNodeId).toBe('own');
    expect(editMessage(conversation, 'b', 'new').newMessageId).not.toBe('b');
  });

  test('[F15] missing parents, missing children and nodes without a message are skipped', () => {
    const code: unknown = { ...message('code', 'assistant'), content: { content_type: 'code', text: 'x' } };
    const mapping: ConversationMapping = {
      root: { id: 'root', parent: null, children: ['lost', 'silent', 'code', 'q'], message: null },
      silent: { id: 'silent', parent: 'root', children: [], message: null },
      code: { id: 'code', parent: 'root', children: ['gone'], message: code as ConversationMessage },
      q: { id: 'q', parent: 'root', children: [], message: message('q') },
      orphan: { id: 'orphan', parent: 'gone', children: [], message: message('orphan') },
    };
    const conversation = conversationOf(mapping, 'q');
    expect(navigateToSibling(conversation, 'q', 'next').current_node).toBe('silent');
    expect(navigateToSibling(conversation, 'silent', 'next').current_node).toBe('code');
    expect(navigateToSibling(conversation, 'silent', 'prev').current_node).toBe('q');
    expect(getBranch(mapping, 'orphan')).toEqual(['orphan']);
    expect(getSiblings(mapping, 'orphan')).toEqual(['orphan']);
    expect(navigateToSibling(conversation, 'orphan', 'next')).toBe(conversation);
    expect(codeOf(() => editMessage(conversation, 'orphan', 'new'))).toBe('tree/broken-path');
    expect(editMessage(conversation, 'code', 'y').conversation.mapping.root?.children).toHaveLength(5);
  });

  test('[F16] a chain of 100,000 nodes, and 100,000 variants, are read, added to and edited', () => {
    const chain: Record<string, ConversationNode> = {
      root: { id: 'root', parent: null, children: ['n0'], message: null },
    };
    const fan: Record<string, ConversationNode> = {};
    const names: string[] = [];
    for (let at = 0; at < 100_000; at++) {
      const id = `n${at}`;
      const said = message(id, at % 2 === 0 ? 'user' : 'assistant');
      names.push(id);
      const children = at < 99_999 ? [`n${at + 1}`] : [];
      chain[id] = { id, parent: at === 0 ? 'root' : `n${at - 1}`, children, message: said };
      fan[id] = { id, parent: 'root', children: [], message: said };
    }
    fan.root = { id: 'root', parent: null, children: names, message: null };
    const deep = { ...createEmptyConversation('d'), mapping: chain, current_node: 'n99999' };
    expect(getCurrentThread(deep)).toHaveLength(100_000);
    expect(getBranch(addNode(chain, 'n99999', message('x')), 'x')).toHaveLength(100_002);
    expect(prepareForRegeneration(deep, 'n99999').promptNodeId).toBe('n99998');
    const edited = editMessage(deep, 'n0', 'new').conversation;
    expect(navigateToSibling(edited, edited.current_node, 'next').current_node).toBe('n99999');
    const wide = { ...createEmptyConversation('w'), mapping: fan, current_node: 'n0' };
    expect(getSiblingIndex(fan, 'n99999')).toEqual([99_999, 100_000]);
    expect(navigateToSibling(wide, 'n0', 'prev').current_node).toBe('n99999');
    expect(getSiblings(editMessage(wide, 'n5', 'new').conversation.mapping, 'n5')).toHaveLength(100_001);
  });

  test('[F17] any sequence of these functions leaves its inputs unchanged and the conversation consistent', () => {
    const act = fc.record({
      what: fc.constantFrom('add', 'edit', 'next', 'prev', 'regenerate'),
      at: fc.nat(30),
      text: fc.constantFrom('x', 'y', ' '),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 25 }), (acts) => {
        const fns = functions();
        let now: Conversation = fns.createEmptyConversation('c');
        for (const [index, { what, at, text }] of acts.entries()) {
          deepFreeze(now);
          const ids = Object.keys(now.mapping);
          const id = ids[at % ids.length] ?? CLIENT_ROOT_ID;
          const before = JSON.stringify(now);
          const last = now;
          try {
            if (what === 'add') {
              const role = index % 2 === 0 ? 'user' : 'assistant';
              now = { ...now, mapping: fns.addNode(now.mapping, id, message(`m${index}`, role, text)) };
            } else if (what === 'edit') now = fns.editMessage(now, id, text).conversation;
            else if (what === 'regenerate') now = fns.prepareForRegeneration(now, id).conversation;
            else now = fns.navigateToSibling(now, id, what === 'next' ? 'next' : 'prev');
          } catch (error) {
            expect(isAppError(error)).toBe(true);
          }
          expect(JSON.stringify(last)).toBe(before);
          expect(isSound(now)).toBe(true);
          const [place, total] = fns.getSiblingIndex(now.mapping, id);
          expect(place >= 0 && place < total).toBe(true);
          if ((what === 'next' || what === 'prev') && now !== last)
            expect(fns.getNode(now.mapping, now.current_node)?.children).toEqual([]);
        }
      }),
    );
  });
});
