import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import { messageKit } from '@coppice/content';
import { nodeId, readTopology, run, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import fc from 'fast-check';
import type { Key } from 'ink';
import { describe, expect, it } from 'vitest';
import { createTextStyles } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { makeCliFixture } from '../testing/index.ts';
import { renderQueuedInputLines } from './chat-footer.ts';
import { readChatPreview } from './chat-picker.ts';
import { renderDraftLines } from './draft-lines.ts';
import { type EditorDraft, editsByKey, emptyDraft, insertText, toEditorDraft } from './editor.ts';
import { editInExternalEditor } from './external-editor.ts';
import { formatKeyHelp, PasteBuffer } from './keys.ts';
import { renderMarkdownLines } from './markdown.ts';
import { renderNoticeLines } from './notice-lines.ts';
import { handlePanelKey, handlePanelPaste, renderPanelLines, replaceModelChoices } from './panels.tsx';
import { parseKeyPresses, unnamedKey } from './parse-key-presses.ts';
import { formatTerminalSlashCommandHelp } from './terminal-slash-commands.ts';
import { addSearchHits, createTreePicker, findNodesByText, setTreePickerSearch } from './tree-picker.ts';
import { readKeyEvents } from './use-keys.ts';

const plain = createTextStyles(false);

describe('markdown in a terminal', () => {
  it('[O30] renders headings, lists, quotes, code and tables as text', () => {
    const text =
      '# Bread\n\nFlour and **water**.\n\n- one\n- two\n  1. deep\n\n> said\n\n```js\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 22 |';
    expect(renderMarkdownLines(text, 40, plain)).toEqual([
      'Bread',
      '',
      'Flour and water.',
      '',
      '• one',
      '• two',
      '  1. deep',
      '',
      '│ said',
      '',
      '  js',
      '│ let a = 1;',
      '',
      'a   │ b  ',
      '────┼────',
      '1   │ 22 ',
    ]);
  });

  it('[O30] has no line wider than the screen, whatever the text and the width', () => {
    fc.assert(
      fc.property(
        fc
          .array(
            fc.constantFrom(
              '# ',
              '- ',
              '1. ',
              '> ',
              '`',
              '```\n',
              '**',
              '\n',
              '\n\n',
              '| a | b |\n|---|---|\n| c | d |\n',
              'word ',
              '漢字',
              'averyverylongword',
              '[x](http://e.org)',
              '👩‍👩‍👧 ',
            ),
          )
          .map((parts) => parts.join('')),
        fc.integer({ min: 8, max: 60 }),
        (text, width) => {
          for (const line of renderMarkdownLines(text, width, plain)) expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
      { examples: [['- 1. 1. 👩‍👩‍👧 ', 8]] },
    );
  });

  it('[O30] aligns the columns of a table, and wraps cells where it is too wide', () => {
    const table = '| Tree | Years |  |\n|:--|--:|:-:|\n| Oak | 900 | ok |\n| A very old yew | 2000 | ok |';
    expect(renderMarkdownLines(table, 60, plain)).toEqual([
      'Tree           │ Years │    ',
      '───────────────┼───────┼────',
      'Oak            │   900 │ ok ',
      'A very old yew │  2000 │ ok ',
    ]);
    expect(renderMarkdownLines(table, 24, plain)).toEqual([
      'Tree       │ Years │    ',
      '───────────┼───────┼────',
      'Oak        │   900 │ ok ',
      'A very old │  2000 │ ok ',
      'yew        │       │    ',
    ]);
    expect(renderMarkdownLines(table, 12, plain)).toContain('Tree: Oak');
  });

  it('[O30] italics differ from bold, also across a line break', () => {
    const lines = renderMarkdownLines('*soft and* **loud**', 9, createTextStyles(true));
    expect(lines).toEqual(['\u001b[3msoft and\u001b[23m ', '\u001b[1mloud\u001b[22m']);
  });

  it('[O1] removes control sequences, even inside code', () => {
    const lines = renderMarkdownLines('a\u001b[2J `\u001b]0;x\u0007b` \u202ec', 40, plain).join('');
    expect(lines).not.toMatch(/(?![\n\t])[\p{Cc}\u202e]/u);
  });
});

describe('the input line', () => {
  it('[O31] moves and cuts by whole characters', () => {
    const family = toEditorDraft('a👩‍👩‍👧');
    expect(editsByKey.backspace(family)).toEqual({ text: 'a', cursor: 1 });
    expect(editsByKey.left(family).cursor).toBe(1);
    expect(editsByKey.cutWord(toEditorDraft('one two  '))).toEqual({ text: 'one ', cursor: 4 });
    expect(editsByKey.cutToStart(toEditorDraft('one\ntwo'))).toEqual({ text: 'one\n', cursor: 4 });
  });

  it('[O31] moves and cuts by words, and at the edge of a line cuts the line break', () => {
    const draft = { text: 'one  two\nthree', cursor: 3 };
    expect(editsByKey.wordRight(draft).cursor).toBe(8);
    expect(editsByKey.wordRight({ ...draft, cursor: 14 }).cursor).toBe(14);
    expect(editsByKey.wordLeft({ ...draft, cursor: 8 }).cursor).toBe(5);
    expect(editsByKey.cutNextWord(draft)).toEqual({ text: 'one\nthree', cursor: 3 });
    expect(editsByKey.cutToStart({ ...draft, cursor: 9 })).toEqual({ text: 'one  twothree', cursor: 8 });
    expect(editsByKey.cutToEnd({ ...draft, cursor: 8 })).toEqual({ text: 'one  twothree', cursor: 8 });
    expect(editsByKey.cutToEnd({ ...draft, cursor: 3 })).toEqual({ text: 'one\nthree', cursor: 3 });
    expect([editsByKey.cutToStart(emptyDraft), editsByKey.cutToEnd(emptyDraft)]).toEqual([emptyDraft, emptyDraft]);
  });

  it('[O31] moves up and down by lines, and reports the first and last', () => {
    const draft: EditorDraft = { text: 'first\nsec', cursor: 9 };
    expect(editsByKey.up(draft)).toEqual({ ...draft, cursor: 3 });
    expect(editsByKey.up({ ...draft, cursor: 2 })).toBeNull();
    expect(editsByKey.down({ ...draft, cursor: 5 })).toEqual({ ...draft, cursor: 9 });
    expect(editsByKey.down(draft)).toBeNull();
  });

  it('[O71] moves up and down by columns of the screen, never into a character', () => {
    const draft: EditorDraft = { text: '👍👍x\nab', cursor: 7 };
    expect(editsByKey.up(draft)).toEqual({ ...draft, cursor: 2 - 2 });
    expect(editsByKey.up({ ...draft, cursor: 8 })).toEqual({ ...draft, cursor: 2 });
    expect(editsByKey.down({ ...draft, cursor: 2 })).toEqual({ ...draft, cursor: 8 });
    expect(editsByKey.home({ text: '\nab', cursor: 0 }).cursor).toBe(0);
  });

  it('[O71] draws the cursor on a whole character, and no control sequence', () => {
    expect(renderDraftLines({ text: 'a👩‍👩‍👧b', cursor: 1 }, 20, 3, plain)).toEqual(['› a\u001b[7m👩‍👩‍👧\u001b[27mb']);
    expect(renderDraftLines({ text: '\u001b]0;x\u0007\u202eb', cursor: 7 }, 20, 3, plain)).toEqual([
      '› ·]0;x··\u001b[7mb\u001b[27m',
    ]);
  });

  it('[O31] keeps the cursor inside the text, whatever is pressed', () => {
    const names = Object.keys(editsByKey) as (keyof typeof editsByKey)[];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'grapheme' }))), (pressed) => {
        let draft = emptyDraft;
        for (const each of pressed) {
          const edit = names.find((name) => name === each);
          draft = edit === undefined ? insertText(draft, each) : (editsByKey[edit](draft) ?? draft);
          expect(draft.cursor).toBeGreaterThanOrEqual(0);
          expect(draft.cursor).toBeLessThanOrEqual(draft.text.length);
        }
      }),
    );
  });

  it('[O31] joins pasted text, even from pieces, and sends nothing by itself', () => {
    const paste = new PasteBuffer();
    expect(paste.take('typed')).toBeNull();
    expect(paste.take('\u001b[200~one\rtwo')).toBe('holding');
    expect(paste.take('\rthree\u001b[201~')).toEqual({ text: 'one\ntwo\nthree' });
    expect(paste.take('typed')).toBeNull();
  });

  it('[O31] reads a paste as one text with its lines, and Ctrl-C out of one that never ends', () => {
    const paste = new PasteBuffer();
    // Ink separates the input at escape sequences.
    expect(readKeyEvents(paste, '\u001b[200~')).toEqual([]);
    expect(readKeyEvents(paste, 'one\rtwo\n\tthree')).toEqual([]);
    expect(readKeyEvents(paste, '\r')).toEqual([]);
    expect(readKeyEvents(paste, '\u001b[31m')).toEqual([]);
    expect(readKeyEvents(paste, 'fo\u0007ur\u001b]0;title\u0007')).toEqual([]);
    expect(readKeyEvents(paste, '\u001b[201~')).toEqual([{ pasted: 'one\ntwo\n\tthree\nfour' }]);
    expect(readKeyEvents(paste, 'a\r')).toMatchObject([{ input: 'a' }, { key: { return: true } }]);
    readKeyEvents(paste, '\u001b[200~');
    readKeyEvents(paste, 'lost');
    expect(readKeyEvents(paste, '\u0003')).toMatchObject([{ input: 'c', key: { ctrl: true } }]);
    expect(readKeyEvents(paste, 'b')).toMatchObject([{ input: 'b' }]);
  });

  it('[O191] Esc and the key after it are two keys, also if the terminal delivers them together', () => {
    expect(parseKeyPresses('\u001b\u0004')).toMatchObject([
      { key: { escape: true } },
      { input: 'd', key: { ctrl: true } },
    ]);
    expect(parseKeyPresses('\u001b\u001b')).toMatchObject([{ key: { escape: true } }, { key: { escape: true } }]);
    // Terminals send Alt-Enter like this.
    expect(parseKeyPresses('\u001b\r')).toMatchObject([{ key: { return: true, meta: true } }]);
    expect(parseKeyPresses('\u001bb')).toMatchObject([{ input: 'b', key: { meta: true } }]);
  });

  it('[O197] the sequences of keys are read with the keys that are held, and unknown ones do nothing', () => {
    const known: readonly (readonly [string, Partial<Key>])[] = [
      ['\u001b[A', { upArrow: true }],
      ['\u001bOA', { upArrow: true }],
      ['\u001b[1;3D', { leftArrow: true, meta: true }],
      ['\u001b[1;5C', { rightArrow: true, ctrl: true }],
      ['\u001b\u001b[C', { rightArrow: true, meta: true }],
      ['\u001bOd', { leftArrow: true, ctrl: true }],
      ['\u001b[3~', { delete: true }],
      ['\u001b[3;5~', { delete: true, ctrl: true }],
      ['\u001b[5^', { pageUp: true, ctrl: true }],
      ['\u001b[H', { home: true }],
      ['\u001b[8~', { end: true }],
      ['\u001b[Z', { tab: true, shift: true }],
      ['\u001b[13;2u', { return: true, shift: true }],
      ['\u001b[27;3;13~', { return: true, meta: true }],
      ['\u007f', { backspace: true }],
      ['\u001b\u007f', { backspace: true, meta: true }],
    ];
    for (const [sequence, key] of known)
      expect(parseKeyPresses(sequence), sequence).toEqual([{ input: '', key: { ...unnamedKey, ...key } }]);
    expect(parseKeyPresses('\u001b[99;5u')).toMatchObject([{ input: 'c', key: { ctrl: true } }]);
    // Ctrl-F1, focus, the position of the cursor, the mouse, a released key, and a number pad.
    for (const sequence of ['[1;5P', '[1;5S', '[I', '[24;80R', '[<0;1;2M', '[31m', '[97;1:3u', '[57414u', '[99999999u'])
      expect(parseKeyPresses(`\u001b${sequence}`), sequence).toEqual([]);
    expect(parseKeyPresses('\u001c')).toMatchObject([{ key: { ctrl: true } }]);
    expect(parseKeyPresses('你好')).toMatchObject([{ input: '你好' }]);
  });

  it('[O31] shows only the lines around the cursor of a long draft', () => {
    const shown = (draft: EditorDraft) =>
      renderDraftLines(draft, 12, 3, plain).map((line) => stripVTControlCharacters(line));
    const text = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join('\n');
    expect(shown(toEditorDraft(text))).toEqual(['  line 19997', '  line 19998', '  line 19999 ']);
    expect(shown({ text, cursor: 0 })).toEqual(['› line 0', '  line 1', '  line 2']);
    expect(shown({ text, cursor: text.indexOf('line 500\n') }).join('\n')).toContain('line 500');
    expect(shown(emptyDraft)).toEqual(['›  ']);
  });

  it('[O31] is edited in an external editor, and stays unchanged if that fails', () => {
    expect(editInExternalEditor('true', 'a\nb')).toEqual({ text: 'a\nb' });
    expect(editInExternalEditor('false', 'a')).toEqual({
      failed: 'The editor false ended with 1. The text is unchanged.',
    });
    expect(editInExternalEditor('rm', 'a')).toMatchObject({
      failed: expect.stringMatching(/^The file of the editor rm cannot be read: ENOENT/),
    });
    expect(editInExternalEditor('no-such-editor -w', 'a')).toMatchObject({
      failed: expect.stringContaining('could not be started'),
    });
  });

  it('[O96] the help lists the commands of the terminal in two columns', () => {
    const starts = formatTerminalSlashCommandHelp()
      .split('\n')
      .map((line) => /^\/\w+ {2,}/.exec(line)?.[0].length);
    expect(new Set(starts).size).toBe(1);
  });

  it('[O31] help names the keys', () => {
    for (const name of ['Ctrl-T', 'Ctrl-G', 'Alt-←']) expect(formatKeyHelp()).toContain(name);
  });
});

describe('the area above the input', () => {
  const asked = (command: string, isTyping = false) => ({
    isTyping,
    nodes: [],
    notice: null,
    question: {
      text: `Run shell ${JSON.stringify({ command })}?`,
      canAllow: false,
      answer: () => undefined,
    },
  });

  it('[O71] a question about a tool shows everything the tool would do, and how to answer', () => {
    const lines = renderNoticeLines(asked('cat 漢字漢字漢字漢字 && rm -rf everything'), 30, 8, plain);
    expect(lines).toEqual(['Run shell {"command":"cat 漢字', '漢字漢字漢字 && rm -rf ', 'everything"}?', 'y / n']);
    const long = renderNoticeLines(asked('x'.repeat(5000)), 30, 6, plain);
    expect(long).toHaveLength(6);
    expect(long.slice(-2)).toEqual(['… the rest does not fit', 'y / n']);
    expect(renderNoticeLines(asked('ls', true), 80, 6, plain).at(-1)).toMatch(/^Send or clear your text/);
  });

  it('[O71] a shortened text ends with an ellipsis', () => {
    const said = {
      isTyping: false,
      nodes: [],
      question: null,
      notice: { text: 'one two three four five six seven eight nine', bad: false },
    };
    expect(renderNoticeLines(said, 12, 6, plain)).toEqual(['one two ', 'three four ', 'five six…']);
    expect(renderNoticeLines(said, 60, 6, plain)).toEqual([said.notice.text]);
  });
});

const key = (over: Partial<Key> = {}): Key => ({ ...unnamedKey, ...over });

describe('a panel', () => {
  it('[O71] has a line for each of its entries, none wider than the screen', () => {
    const choices = ['offline/guide', 'anthropic/a-model-with-a-long-name', 'openai/漢字漢字漢字漢字'];
    const panel = {
      type: 'models',
      choices: choices.map((id, at) => ({ id, label: id, ready: at === 0 })),
      search: '',
      at: 0,
    } as const;
    const colored = createTextStyles(true);
    for (const style of [plain, colored]) {
      const lines = renderPanelLines(panel, style, 20, 10);
      expect(lines).toHaveLength(4);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(20);
    }
    expect(renderPanelLines({ ...panel, search: 'guide' }, plain, 40, 10)[0]).toMatch(/^1 model ·/);
    expect(renderPanelLines(panel, plain, 20, 10)[1]).toBe('▶ offline/guide');
    expect(renderPanelLines(panel, plain, 20, 10)[2]).toBe('  anthrop…  needs a…');
  });

  it('[O33] finds models by several words, moves by pages, and keeps its model when others are added', () => {
    const toChoices = (ids: readonly string[]) => ids.map((id) => ({ id, label: id, ready: true }));
    const ids = Array.from({ length: 40 }, (_, at) => `host/model-${at}`);
    const panel = { type: 'models', choices: toChoices(ids), search: '', at: 0 } as const;
    const size = { width: 40, height: 12 };
    expect(handlePanelKey(panel, '', key({ pageDown: true }), size)).toEqual({ panel: { ...panel, at: 10 } });
    expect(handlePanelKey({ ...panel, at: 35 }, '', key({ pageDown: true }), size)).toMatchObject({
      panel: { at: 39 },
    });
    expect(handlePanelKey({ ...panel, at: 5 }, '', key({ pageUp: true }), size)).toMatchObject({ panel: { at: 0 } });
    expect(renderPanelLines({ ...panel, search: 'host 17' }, plain, 40, 10)).toEqual([
      expect.stringMatching(/^1 model ·/),
      '▶ host/model-17',
    ]);
    expect(replaceModelChoices({ ...panel, at: 3 }, toChoices(['first/a', ...ids])).at).toBe(4);
  });

  it('[O95] previews a reply without its thinking', async () => {
    const store = await openStore('memory:');
    const act = { actor: 'me', kit: messageKit, now: Date.now, newId: () => randomUUID() };
    const id = treeId(randomUUID());
    const content = [
      { type: 'thinking', thinking: 'Hidden.' },
      { type: 'text', text: 'The oak.' },
    ];
    await run(store, { type: 'create', treeId: id }, act);
    const message = { role: 'assistant', content } as const;
    await run(store, { type: 'append', treeId: id, messages: [{ message }] }, act);
    const [row] = (await store.trees({})).items;
    const preview = row === undefined ? null : await readChatPreview(store, row);
    const chats = { chats: row === undefined ? [] : [row], search: '', at: 0, preview };
    const lines = renderPanelLines({ type: 'chats', chats }, plain, 60, 12);
    expect(lines.at(-1)).toBe('Model: The oak.');
    await store.close();
  });

  it('[O31] searches for pasted text if it has a search', () => {
    const models = { type: 'models', choices: [], search: 'a', at: 3 } as const;
    expect(handlePanelPaste(models, 'guide\n')).toEqual({ ...models, search: 'aguide', at: 0 });
    expect(handlePanelPaste({ type: 'text', title: '', text: '', top: 0 }, 'guide')).toBeNull();
  });

  it('[O33] finds entries that its lines do not show, unless the search has changed', async () => {
    const fixture = makeCliFixture();
    const { tree, nodes } = await fixture.createChat(`${'What every line shows. '.repeat(5)}The Oak.`, 'The beech.');
    const [oak = nodeId('')] = nodes.map(nodeId);
    const store = await openStore(`sqlite:${fixture.home}/.coppice/coppice.db`);
    try {
      const all = await store.read(treeId(tree), () => readTopology(treeId(tree)));
      const picker = setTreePickerSearch(createTreePicker({ nodes: all, labels: new Map(), current: null }), 'oak');
      expect(picker.entries).toEqual([]);
      const found = await findNodesByText(store, treeId(tree), 'oak');
      const shown = addSearchHits(picker, 'oak', found);
      expect(shown.entries.map((entry) => entry.nodeId)).toEqual([oak]);
      expect(setTreePickerSearch(shown, 'oak tree').entries).toEqual([]);
      expect(addSearchHits(setTreePickerSearch(picker, 'beech'), 'oak', found).entries).toMatchObject([
        { preview: 'The beech.' },
      ]);
    } finally {
      await store.close();
      fixture.close();
    }
  });

  it('[O71] shows the current position in full, even on the line with the cursor', () => {
    const root = nodeId('root');
    const node = { kind: 'message', role: 'user', groupId: 0, status: 'success', tokens: 0, createdAt: 0 } as const;
    const row = { ...node, id: nodeId('a'), parentId: root, seq: 1, position: 'a', childCount: 0, hasChildren: false };
    const nodes = [{ ...row, preview: 'a long text '.repeat(6) }];
    const picker = createTreePicker({ nodes, labels: new Map(), current: nodeId('a') });
    for (const width of [30, 40, 60]) {
      const [, line = ''] = renderPanelLines({ type: 'tree', picker }, plain, width, 10);
      expect(line).toMatch(/^▶ ● a long .*… {2}← here$/);
      expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  });
});

describe('queued inputs', () => {
  it('[O76] shows what is sent next, and how many follow', () => {
    expect(renderQueuedInputLines(['first', 'second'], 40)).toEqual(['Waiting: first', 'Waiting: second']);
    const lines = renderQueuedInputLines(['first', 'second with many words', 'third', 'fourth'], 30);
    expect(lines).toEqual(['Waiting: first', 'Waiting: second… (and 2 more)']);
  });
});

describe('keys over a panel', () => {
  const size = { width: 40, height: 5 };
  const text = { type: 'text', title: '/help', text: 'a\nb\nc\nd\ne\nf\ng', top: 0 } as const;
  const models = { type: 'models', choices: [], search: '', at: 0 } as const;
  const tree = { type: 'tree', picker: createTreePicker({ nodes: [], labels: new Map(), current: null }) } as const;

  it('[O84] text that is typed over an answer closes it and goes to the input', () => {
    for (const input of ['/', '/tree', 'q', 'Hello', 'ü'])
      expect(handlePanelKey(text, input, key(), size)).toEqual({ passes: true });
    expect(handlePanelKey(text, 't', key({ ctrl: true }), size)).toEqual({ passes: true });
    expect(handlePanelKey(text, '', key({ tab: true }), size)).toEqual({ passes: true });
  });

  it('[O84] arrows scroll an answer, Enter, Esc and Ctrl-C close it', () => {
    expect(handlePanelKey(text, '', key({ downArrow: true }), size)).toEqual({ panel: { ...text, top: 1 } });
    for (const over of [{ return: true }, { escape: true }])
      expect(handlePanelKey(text, '', key(over), size)).toEqual({ closed: true });
    expect(handlePanelKey(text, 'c', key({ ctrl: true }), size)).toEqual({ closed: true });
  });

  it('[O84] a slash starts a command over a panel with a search, and is part of the search after other text', () => {
    for (const panel of [models, tree]) expect(handlePanelKey(panel, '/help', key(), size)).toEqual({ passes: true });
    const searching = { ...models, search: 'anthropic' };
    expect(handlePanelKey(searching, '/', key(), size)).toEqual({ panel: { ...searching, search: 'anthropic/' } });
  });
});
