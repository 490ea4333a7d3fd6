import { stripVTControlCharacters } from 'node:util';
import { nodeId, readTopology, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import fc from 'fast-check';
import type { Key } from 'ink';
import { describe, expect, it } from 'vitest';
import { createTextStyles } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { makeCliFixture } from '../testing/index.ts';
import { renderDraftLines } from './draft-lines.ts';
import { type EditorDraft, editsByKey, emptyDraft, insertText, toEditorDraft } from './editor.ts';
import { editInExternalEditor } from './external-editor.ts';
import { formatKeyHelp, PasteBuffer } from './keys.ts';
import { renderMarkdownLines } from './markdown.ts';
import { renderNoticeLines } from './notice-lines.ts';
import { handlePanelKey, handlePanelPaste, renderPanelLines } from './panels.tsx';
import { formatTerminalCommandHelp } from './terminal-commands.ts';
import { addSearchHits, createTreePicker, findNodesByText, setPickerSearch } from './tree-picker.ts';
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
    expect(paste.take('[200~one\rtwo')).toBe('holding');
    expect(paste.take('\rthree\u001b[201~')).toEqual({ text: 'one\ntwo\nthree' });
    expect(paste.take('typed')).toBeNull();
  });

  it('[O31] reads a paste as one text with its lines, and Ctrl-C out of one that never ends', () => {
    const none = {
      upArrow: false,
      downArrow: false,
      leftArrow: false,
      rightArrow: false,
      pageDown: false,
      pageUp: false,
      home: false,
      end: false,
      return: false,
      escape: false,
      ctrl: false,
      shift: false,
      tab: false,
      backspace: false,
      delete: false,
      meta: false,
      super: false,
      hyper: false,
      capsLock: false,
      numLock: false,
    } satisfies Key;
    const paste = new PasteBuffer();
    // The terminal splits its input at escape sequences, and sends a line end as a key.
    expect(readKeyEvents(paste, '[200~', none)).toEqual([]);
    expect(readKeyEvents(paste, 'one\rtwo\n\tthree', none)).toEqual([]);
    expect(readKeyEvents(paste, '', { ...none, return: true })).toEqual([]);
    expect(readKeyEvents(paste, 'four', none)).toEqual([]);
    expect(readKeyEvents(paste, '[201~', none)).toEqual([{ pasted: 'one\ntwo\n\tthree\nfour' }]);
    expect(readKeyEvents(paste, 'a\r', none)).toMatchObject([{ input: 'a' }, { key: { return: true } }]);
    readKeyEvents(paste, '[200~', none);
    readKeyEvents(paste, 'lost', none);
    expect(readKeyEvents(paste, 'c', { ...none, ctrl: true })).toEqual([{ input: 'c', key: { ...none, ctrl: true } }]);
    expect(readKeyEvents(paste, 'b', none)).toMatchObject([{ input: 'b' }]);
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
    const starts = formatTerminalCommandHelp()
      .split('\n')
      .map((line) => /^\/\w+ {2,}/.exec(line)?.[0].length);
    expect(new Set(starts).size).toBe(1);
  });

  it('[O31] help names the keys', () => {
    for (const name of ['Ctrl-T', 'Ctrl-G', 'Alt-←']) expect(formatKeyHelp()).toContain(name);
  });
});

describe('the area above the input', () => {
  const asked = (command: string) => ({
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
  });

  it('[O71] a shortened text ends with an ellipsis', () => {
    const said = { question: null, notice: { text: 'one two three four five six seven eight nine', bad: false } };
    expect(renderNoticeLines(said, 12, 6, plain)).toEqual(['one two ', 'three four ', 'five six…']);
    expect(renderNoticeLines(said, 60, 6, plain)).toEqual([said.notice.text]);
  });
});

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
      const picker = setPickerSearch(createTreePicker({ nodes: all, labels: new Map(), current: null }), 'oak');
      expect(picker.entries).toEqual([]);
      const found = await findNodesByText(store, treeId(tree), 'oak');
      const shown = addSearchHits(picker, 'oak', found);
      expect(shown.entries.map((entry) => entry.nodeId)).toEqual([oak]);
      expect(setPickerSearch(shown, 'oak tree').entries).toEqual([]);
      expect(addSearchHits(setPickerSearch(picker, 'beech'), 'oak', found).entries).toMatchObject([
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

describe('keys over a panel', () => {
  const key = (over: Partial<Key> = {}): Key => ({ ...emptyKey, ...over });
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

const emptyKey: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};
