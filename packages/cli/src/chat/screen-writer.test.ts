import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTestScreen } from '../testing/screen.ts';
import { countScreenRows, doesTerminalRewrapLines, ScreenWriter } from './screen-writer.ts';

const rows = 60;

/** A terminal that has processed everything that was written before its size changes. */
function makeTerminal(isFullScreen = false) {
  const screen = makeTestScreen(80, rows);
  let size = { columns: 80, rows };
  let waiting = '';
  const written: string[] = [];
  const prints: string[] = [];
  const writer = new ScreenWriter(
    {
      get columns() {
        return size.columns;
      },
      get rows() {
        return size.rows;
      },
      write(text) {
        waiting += text;
        written.push(text);
      },
    },
    {
      isFullScreen,
      rewraps: true,
      restAfterResizeMs: 0,
      refreshSize: () => undefined,
      takePrinted: () => prints.splice(0),
    },
  );
  const settle = () =>
    new Promise<void>((resolve) => {
      const text = waiting;
      waiting = '';
      screen.write(text, resolve);
    });
  return {
    writer,
    settle,
    print(text: string) {
      prints.push(text);
      writer.flush();
    },
    async resize(columns: number, lines = rows) {
      await settle();
      screen.resize(columns, lines);
      size = { columns, rows: lines };
    },
    written: () => written.join(''),
    async text() {
      await settle();
      const { active } = screen.buffer;
      let text = '';
      for (let at = 0; at < active.length; at++) {
        const line = active.getLine(at);
        text += `${line?.isWrapped === true || at === 0 ? '' : '\n'}${line?.translateToString(true) ?? ''}`;
      }
      return text.trimEnd();
    },
  };
}

const word = fc.constantFrom('oak', 'Eiche', '樫の木', '👩‍👩‍👧‍👦', '🎉', 'x'.repeat(37), '\u001b[1mstrong\u001b[22m');
const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const lines = fc.array(line, { minLength: 1, maxLength: 4 }).map((each) => each.join('\n'));
const action = fc.oneof(
  fc.record({ type: fc.constant('draw' as const), text: lines }),
  fc.record({ type: fc.constant('print' as const), text: lines }),
  fc.record({ type: fc.constant('resize' as const), columns: fc.integer({ min: 20, max: 160 }) }),
);

describe('the screen of a chat', () => {
  it('[O104] after any frames and widths the terminal has what was printed, once, and the newest frame', () =>
    fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 25 }), async (actions) => {
        const terminal = makeTerminal();
        const printed: string[] = [];
        let frame = '';
        for (const each of actions) {
          if (each.type === 'draw') {
            frame = each.text;
            terminal.writer.draw(frame);
          } else if (each.type === 'print') {
            printed.push(each.text);
            terminal.print(each.text);
          } else await terminal.resize(each.columns);
        }
        terminal.writer.redraw();
        const plain = (text: string) => text.replaceAll('\u001b[1m', '').replaceAll('\u001b[22m', '').trimEnd();
        const all = (texts: readonly string[]) => plain(texts.map((text) => `${text}\n`).join(''));
        expect(await terminal.text()).toBe(all([...printed, frame]));
        terminal.writer.pause();
        expect(await terminal.text()).toBe(all(printed));
      }),
      { numRuns: 60 },
    ));

  it('[O104] a window that becomes lower than the frame keeps the scrollback', async () => {
    const terminal = makeTerminal();
    for (let at = 0; at < 60; at++) terminal.print(`Line ${at}`);
    terminal.writer.draw('One\nTwo\nThree\nFour\nFive\nSix');
    await terminal.resize(80, 4);
    terminal.writer.draw('Last');
    terminal.writer.pause();
    expect(await terminal.text()).toContain('Line 58\nLine 59');
    expect(terminal.written()).not.toContain('\u001b[3J');
  });

  it('[O104] a frame that arrives while the window is resized is drawn when the size has stayed the same', async () => {
    let columns = 80;
    let drawn = () => undefined as unknown;
    const shown = new Promise<unknown>((resolve) => {
      drawn = () => resolve(undefined);
    });
    let written = '';
    const writer = new ScreenWriter(
      {
        get columns() {
          return columns;
        },
        rows: 24,
        write(text) {
          written += text;
          if (columns === 60) drawn();
        },
      },
      {
        isFullScreen: false,
        rewraps: true,
        restAfterResizeMs: 5,
        refreshSize: () => undefined,
        takePrinted: () => [],
      },
    );
    writer.draw('First');
    columns = 60;
    writer.draw('Second');
    writer.draw('Third');
    expect(written).not.toContain('Second');
    await shown;
    expect(written).toContain('Third');
    expect(written).not.toContain('Second');
  });

  it('[O104] a terminal that does not wrap its lines again loses no line above the frame', async () => {
    let written = '';
    let columns = 80;
    const writer = new ScreenWriter(
      {
        get columns() {
          return columns;
        },
        rows: 24,
        write(text) {
          written = text;
        },
      },
      {
        isFullScreen: false,
        rewraps: false,
        restAfterResizeMs: 0,
        refreshSize: () => undefined,
        takePrinted: () => [],
      },
    );
    writer.draw('x'.repeat(70));
    columns = 20;
    writer.draw('y');
    expect(written).toContain('\u001b[1A');
  });

  it('[O104] knows the terminals that wrap their lines again', () => {
    expect(doesTerminalRewrapLines({ TERM: 'xterm-256color' })).toBe(true);
    expect(doesTerminalRewrapLines({ TERM: 'screen-256color', TMUX: '/tmp/tmux,1,0' })).toBe(true);
    for (const env of [{ TERM: 'linux' }, { TERM: 'screen' }, { TERM: 'xterm', XTERM_VERSION: 'XTerm(390)' }])
      expect(doesTerminalRewrapLines(env)).toBe(false);
  });

  it('[O71] counts the rows of a line as a terminal does', () => {
    for (const [text, columns, expected] of [
      ['', 10, 1],
      ['x'.repeat(10), 10, 1],
      ['x'.repeat(11), 10, 2],
      ['樫樫樫', 5, 2],
      [`\u001b[1m${'x'.repeat(10)}\u001b[22m`, 10, 1],
      ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, 2],
    ] as const)
      expect([text, countScreenRows(text, columns)]).toEqual([text, expected]);
  });
});
