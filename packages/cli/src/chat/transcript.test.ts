import { type Node, nodeId, treeId } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextStyles } from '../terminal/style.ts';
import { type ChatState, createChatState, emptyReply } from './chat-state.ts';
import { measureFinishedMarkdown, renderMarkdownLines } from './markdown.ts';
import { Transcript } from './transcript.ts';

const plain = createTextStyles(false);

function makeNode(id: string, role: 'user' | 'assistant', text: string, over: Partial<Node> = {}): Node {
  return {
    id: nodeId(id),
    treeId: treeId('t'),
    parentId: null,
    kind: 'message',
    role,
    message: { role, content: [{ type: 'text', text }] },
    text,
    status: 'success',
    contentIn: 1,
    meta: {},
    ...over,
  } as Node;
}

const state = (over: Partial<ChatState>): ChatState => ({ ...createChatState('x/large', null), ...over });
const oak = makeNode('a', 'user', 'Oaks?');
const old = makeNode('b', 'assistant', 'Old.');
const tall = makeNode('c', 'assistant', 'Tall.');

describe('the chat as text of the terminal', () => {
  it('[O104] prints every message once', () => {
    const transcript = new Transcript();
    expect(transcript.take(state({}), 60, plain).slice(0, 2)).toEqual(['❧ New chat', 'x/large']);
    const first = state({ treeId: treeId('t'), nodes: [oak] });
    expect(transcript.take(first, 60, plain)).toEqual(['You', 'Oaks?', '']);
    expect(transcript.take(first, 60, plain)).toEqual([]);
    expect(transcript.take({ ...first, nodes: [oak, old] }, 60, plain)).toEqual(['Model', 'Old.', '']);
  });

  it('[O104] prints a reply that calls a tool before the result, and only once', () => {
    const transcript = new Transcript();
    const base = state({ treeId: treeId('t'), nodes: [oak] });
    transcript.take(base, 60, plain);
    const content = [
      { type: 'text', text: 'I look.' },
      { type: 'tool-use', id: 'c', name: 'look', parameters: {} },
    ];
    const call = makeNode('d', 'assistant', 'I look.', { message: { role: 'assistant', content } });
    const green = [{ type: 'text', text: 'Green.' }];
    const result = makeNode('e', 'user', 'Green.', { role: 'tool', message: { role: 'tool', content: green } });
    const growing = { ...emptyReply, nodeId: call.id, text: 'I look.', calls: ['look {}'] };
    const called = { ...base, nodes: [oak, call], growing };
    expect(transcript.take(called, 60, plain)).toEqual([]);
    expect(transcript.pending(called, 60, plain)).toEqual(['large', '▪ look {}', 'I look.']);
    const answered = { ...base, nodes: [oak, call, result], growing };
    expect(transcript.take(answered, 60, plain)).toEqual(['Model', 'I look.', '▪ look {}', '', 'Tool', '▪ Green.', '']);
    expect(transcript.pending(answered, 60, plain)).toEqual([]);
    const next = { ...answered, growing: { ...emptyReply, nodeId: tall.id } };
    expect(transcript.take(next, 60, plain)).toEqual([]);
    expect(transcript.take({ ...base, nodes: [oak, call, result, tall] }, 60, plain)).toEqual(['Model', 'Tall.', '']);
  });

  it('[O104] reports a switch of branches, and prints the new messages there', () => {
    const transcript = new Transcript();
    const there = state({ treeId: treeId('t'), nodes: [oak, old] });
    transcript.take(there, 60, plain);
    expect(transcript.take({ ...there, nodes: [oak, tall] }, 60, plain)).toEqual([
      '⑂ Another branch, after You: Oaks?',
      '',
      'Model',
      'Tall.',
      '',
    ]);
    expect(transcript.take({ ...there, nodes: [oak] }, 60, plain)).toEqual(['⑂ Back at You: Oaks?', '']);
    expect(transcript.take({ ...there, nodes: [] }, 60, plain)).toEqual(['⑂ Back at the beginning', '']);
    const other = transcript.take(state({ treeId: treeId('u'), title: 'Elms', nodes: [old] }), 60, plain);
    expect(other).toEqual(['❧ Elms', 'x/large', '', 'Model', 'Old.', '']);
  });

  it('[O104] prints a message again after an edit in place, and the end of a long branch', () => {
    const transcript = new Transcript();
    const long = Array.from({ length: 50 }, (_, at) => makeNode(`n${at}`, 'user', `Number ${at}.`));
    const lines = transcript.take(state({ treeId: treeId('t'), nodes: long }), 60, plain);
    expect(lines).toContain('… 30 earlier messages; /tree shows them');
    expect(lines).toContain('Number 30.');
    expect(lines).not.toContain('Number 29.');
    const edited = [...long.slice(0, 49), makeNode('n49', 'user', 'Last.', { contentIn: 2 })];
    expect(transcript.take(state({ treeId: treeId('t'), nodes: edited }), 60, plain)).toEqual(['You', 'Last.', '']);
  });

  it('[O95] prints the heading of a past chat that is opened from an empty one, and none for the first message', () => {
    const created = new Transcript();
    created.take(state({}), 60, plain);
    const [id, other] = [treeId('t'), treeId('u')];
    expect(created.take(state({ treeId: id, nodes: [oak] }), 60, plain)).toEqual(['You', 'Oaks?', '']);
    const opened = new Transcript();
    opened.take(state({}), 60, plain);
    const past = state({ treeId: id, opened: id, title: 'Oaks', nodes: [oak] });
    expect(opened.take(past, 60, plain)).toEqual(['❧ Oaks', 'x/large', '', 'You', 'Oaks?', '']);
    // A new chat after it, and its first message.
    expect(opened.take(state({}), 60, plain).slice(0, 2)).toEqual(['❧ New chat', 'x/large']);
    expect(opened.take(state({ treeId: other, nodes: [oak] }), 60, plain)).toEqual(['You', 'Oaks?', '']);
  });

  it('[O105] a reply that is printed in parts has the line about its thinking once', () => {
    const transcript = new Transcript();
    const base = state({ treeId: treeId('t'), nodes: [oak] });
    transcript.take(base, 60, plain);
    const thought = '▸ thought for 2 words; /thinking shows them';
    const growing = { ...emptyReply, nodeId: nodeId('d'), thinking: 'Slow trees.' };
    expect(transcript.take({ ...base, growing: { ...growing, text: 'One.\n\nTwo' } }, 60, plain)).toEqual([
      'large',
      thought,
      'One.',
      '',
    ]);
    expect(transcript.take({ ...base, growing: { ...growing, text: 'One.\n\nTwo.\n\nThree' } }, 60, plain)).toEqual([
      'Two.',
      '',
    ]);
    const content = [
      { type: 'thinking', thinking: 'Slow trees.' },
      { type: 'text', text: 'One.\n\nTwo.\n\nThree.' },
    ];
    const reply = makeNode('d', 'assistant', '', { message: { role: 'assistant', content } });
    expect(transcript.take({ ...base, nodes: [oak, reply] }, 60, plain)).toEqual(['Three.', '']);
    // Thinking that arrived after the first printed part.
    const late = makeNode('e', 'assistant', '', { message: { role: 'assistant', content } });
    const first = { ...emptyReply, nodeId: nodeId('e'), text: 'One.\n\nTwo' };
    transcript.take({ ...base, nodes: [oak, reply], growing: first }, 60, plain);
    expect(transcript.take({ ...base, nodes: [oak, reply, late] }, 60, plain)).toEqual([
      thought,
      'Two.',
      '',
      'Three.',
      '',
    ]);
  });

  it('[O104] prints finished blocks of a running reply, and its end when it has ended', () => {
    const transcript = new Transcript();
    const base = state({ treeId: treeId('t'), nodes: [oak] });
    transcript.take(base, 60, plain);
    const growing = { ...emptyReply, nodeId: nodeId('d') };
    const text = 'One *two*.\n\n- three\n- four\n\nFive';
    const printed: string[] = [];
    for (let end = 1; end <= text.length; end++) {
      const now = { ...base, growing: { ...growing, text: text.slice(0, end) } };
      printed.push(...transcript.take(now, 60, plain));
    }
    expect(printed).toEqual(['large', 'One two.', '', '• three', '• four', '']);
    expect(transcript.pending({ ...base, growing: { ...growing, text } }, 60, plain)).toEqual(['Five']);
    const done = makeNode('d', 'assistant', `${text} six.`);
    expect(transcript.take({ ...base, nodes: [oak, done] }, 60, plain)).toEqual(['Five six.', '']);
  });

  it('[O104] prints a reply again completely if it differs from the printed part', () => {
    const transcript = new Transcript();
    const base = state({ treeId: treeId('t'), nodes: [oak] });
    transcript.take(base, 60, plain);
    const growing = { ...emptyReply, nodeId: nodeId('d'), text: 'First.\n\nMore' };
    transcript.take({ ...base, growing }, 60, plain);
    const lines = transcript.take({ ...base, nodes: [oak, makeNode('d', 'assistant', 'Other.')] }, 60, plain);
    expect(lines).toEqual(['Model', 'Other.', '']);
  });

  it('[O105] prints thinking as one line', () => {
    const content = [
      { type: 'thinking', thinking: 'I count the rings.' },
      { type: 'text', text: 'Old.' },
    ];
    const reply = makeNode('b', 'assistant', 'Old.', { message: { role: 'assistant', content } });
    const lines = new Transcript().take(state({ treeId: treeId('t'), nodes: [reply] }), 60, plain);
    expect(lines).toContain('▸ thought for 4 words; /thinking shows them');
    expect(lines.join('\n')).not.toContain('rings');
  });

  it('[O104] never changes a finished part, whatever follows it', () => {
    const pieces = fc.constantFrom(
      '# A',
      'word',
      '- a',
      '1. b',
      '> c',
      '```\nx\n```',
      '```',
      '| a | b |\n|---|---|',
      '**',
      '\n',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.array(pieces, { maxLength: 6 }), (first, second) => {
        const before = first.join('\n');
        const length = measureFinishedMarkdown(before);
        const whole = before + second.join('\n');
        const done = renderMarkdownLines(before.slice(0, length), 40, plain);
        expect(renderMarkdownLines(whole, 40, plain).slice(0, done.length)).toEqual(done);
      }),
    );
  });
});
