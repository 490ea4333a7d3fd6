/**
 * Draws the frames of the interface on the terminal. Inline, a frame is the part below the printed text, and it is
 * erased before the next one. Ink lays the frames out but does not draw them, because Ink counts the lines of its last
 * frame as they were before the terminal wrapped them again for a new width, clears the scrollback when the window
 * becomes lower, and draws nothing at all if the environment has `CI`.
 */
import { terminalSizeOrDefault } from '../output.ts';
import { graphemesOf, measureGraphemeWidth, widthOf } from '../terminal/width.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The part of `process.stdout` that drawing needs. */
export interface TerminalStream {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface ScreenWriterOptions {
  readonly isFullScreen: boolean;
  /** Whether the terminal wraps the lines on the screen again when its width changes. */
  readonly rewraps: boolean;
  /** Reads the size of the terminal again. It may have changed since the last signal. */
  refreshSize(): void;
  /**
   * How long nothing is drawn after a change of the size: the terminal may read a frame before or after it has wrapped
   * its lines for the new size.
   */
  readonly restAfterResizeMs: number;
  /** Takes the texts that are to be printed above the frame. */
  takePrinted(): readonly string[];
}

// Synchronized output: a terminal that supports these two sequences shows everything between them at once.
const [beginUpdate, endUpdate] = ['\u001b[?2026h', '\u001b[?2026l'];
const [home, clearLine, clearBelow, clearScreen] = ['\u001b[H', '\u001b[K', '\u001b[J', '\u001b[2J'];

/** Draws frames and prints texts above them. */
export class ScreenWriter {
  readonly #terminal: TerminalStream;
  readonly #options: ScreenWriterOptions;
  /** The newest frame. */
  #frame = '';
  /** The lines of the frame on the screen, with the rows that each had when it was drawn. */
  #drawn: readonly { readonly line: string; readonly rows: number }[] = [];
  #shown: string | null = null;
  #drawings = 0;
  #isPaused = false;
  #size: string;
  #resting: NodeJS.Timeout | undefined;

  constructor(terminal: TerminalStream, options: ScreenWriterOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.#size = this.#readSize();
  }

  /** Replaces the shown frame, and prints the waiting texts above the new one. */
  draw(frame: string): void {
    this.#frame = frame;
    if (this.#isPaused) return;
    const drawing = ++this.#drawings;
    this.#options.refreshSize();
    // A new size has already led to a newer frame.
    if (drawing !== this.#drawings || this.#isResting()) return;
    const printed = this.#options.takePrinted();
    if (this.#shown === frame && printed.length === 0) return;
    this.#shown = frame;
    this.#terminal.write(beginUpdate + this.#drawing(frame, printed) + endUpdate);
  }

  /** Prints the waiting texts above the frame. */
  flush(): void {
    this.draw(this.#frame);
  }

  /** Draws the newest frame again. With `isCleared` the screen is cleared first. */
  redraw({ isCleared = false } = {}): void {
    if (isCleared && !this.#isPaused) {
      this.#drawn = [];
      this.#terminal.write(clearScreen + home);
    }
    this.#shown = null;
    this.draw(this.#frame);
  }

  /** Erases the frame, prints the waiting texts, and draws nothing until {@link ScreenWriter.resume}. */
  pause(): void {
    if (this.#isPaused) return;
    clearTimeout(this.#resting);
    this.#resting = undefined;
    this.#options.refreshSize();
    const printed = this.#options.takePrinted();
    if (!this.#options.isFullScreen)
      this.#terminal.write(this.#erasing() + printed.map((text) => `${text}\n`).join(''));
    this.#drawn = [];
    this.#isPaused = true;
  }

  /** Draws the newest frame where the cursor is. */
  resume(): void {
    this.#isPaused = false;
    this.redraw();
  }

  /** Writes an escape sequence, which must not move the cursor. */
  send(sequence: string): void {
    this.#terminal.write(sequence);
  }

  /** Returns whether the size has just changed; the newest frame is then drawn later. */
  #isResting(): boolean {
    const size = this.#readSize();
    if (size !== this.#size) {
      this.#size = size;
      clearTimeout(this.#resting);
      const { restAfterResizeMs } = this.#options;
      if (restAfterResizeMs > 0)
        this.#resting = setTimeout(() => {
          this.#resting = undefined;
          this.redraw();
        }, restAfterResizeMs);
    }
    return this.#resting !== undefined;
  }

  #readSize(): string {
    const { columns, rows } = this.#terminal;
    return `${columns}x${rows}`;
  }

  #drawing(frame: string, printed: readonly string[]): string {
    const lines = frame === '' ? [] : frame.split('\n');
    if (this.#options.isFullScreen) return `${home}${lines.map((line) => line + clearLine).join('\r\n')}${clearBelow}`;
    const erasing = this.#erasing();
    const columns = this.#columns();
    this.#drawn = lines.map((line) => ({ line, rows: countScreenRows(line, columns) }));
    return erasing + [...printed, ...lines].map((text) => `${text}\n`).join('');
  }

  /** Returns the sequence that erases the frame. The cursor must be at the beginning of the row below the frame. */
  #erasing(): string {
    const columns = this.#columns();
    const rows = this.#drawn.reduce(
      (sum, { line, rows }) => sum + (this.#options.rewraps ? countScreenRows(line, columns) : rows),
      0,
    );
    // Rows that have left the screen cannot be reached.
    const up = Math.min(rows, terminalSizeOrDefault(this.#terminal.rows, 24) - 1);
    return up === 0 ? '\r' : `\r\u001b[${up}A${clearBelow}`;
  }

  #columns(): number {
    return terminalSizeOrDefault(this.#terminal.columns, 80);
  }
}

const colors = new RegExp(['\\u001b', '\\[[0-9;]*m'].join(''), 'g');

/** Returns how many rows a line takes on a terminal of the given width. */
export function countScreenRows(line: string, columns: number): number {
  const text = line.replace(colors, '');
  const width = widthOf(text);
  if (width <= columns) return 1;
  if (width === text.length) return Math.ceil(width / columns);
  let [rows, taken] = [1, 0];
  for (const grapheme of graphemesOf(text)) {
    const width = measureGraphemeWidth(grapheme);
    // A wide character that does not fit at the end of a row begins the next one.
    if (taken + width > columns) {
      rows++;
      taken = 0;
    }
    taken += width;
  }
  return rows;
}

/** Returns whether a terminal wraps its lines again when it becomes narrower or wider, as most do. */
export function doesTerminalRewrapLines(env: Environment): boolean {
  const { TERM = '', TMUX, XTERM_VERSION } = env;
  // tmux wraps lines again, GNU Screen does not; both call themselves screen.
  return TMUX !== undefined || (XTERM_VERSION === undefined && !/^(?:linux|cons|vt\d|screen|st\b)/.test(TERM));
}
