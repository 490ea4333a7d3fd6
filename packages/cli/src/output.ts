/** Prints the output of a command, and removes control sequences from texts of models and users. */
import { stripControlSequences, stripExceptColors } from './terminal/strip-control-sequences.ts';
import { createTextStyles, shouldUseColors, type TextStyles } from './terminal/style.ts';

/** The streams and the environment of the process, or of a test. */
export interface ProcessHost {
  readonly stdout: { write(text: string | Uint8Array): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stdin: AsyncIterable<string | Uint8Array> & {
    readonly isTTY?: boolean;
    /** Passes each key on as it is typed, without echo. Undefined if standard input is not a terminal. */
    setRawMode?(raw: boolean): unknown;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shows long output one screen at a time. Undefined if output is not a terminal or no pager is installed. */
  readonly pager?: ((lines: Iterable<string>) => Promise<void>) | undefined;
  /** The user's home directory. */
  readonly home: string;
  readonly cwd: string;
  /** Aborts long-running commands, like Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Prints the output of a command and its messages. */
export interface OutputWriter {
  readonly style: TextStyles;
  /** Whether standard error is a terminal on which a line can be redrawn. */
  readonly live: boolean;
  /** The width for wrapped text: that of the terminal; 120 for a pipe or a file. */
  readonly columns: number;
  /** The width of the terminal; null for a pipe, a file, or with `--raw`. */
  readonly screen: number | null;
  /** The width for redrawn lines. Standard error may be a terminal when standard output is not. */
  readonly liveColumns: number;
  /** Removes control sequences except the colours of this command. */
  safe(text: string): string;
  /** Prints one or more lines of output. */
  print(text: string): void;
  /** Prints text without a line end. */
  write(text: string | Uint8Array): void;
  /** Prints the output as JSON on one line. */
  json(value: unknown): void;
  /** Prints to standard error. */
  note(text: string): void;
  /** Writes to standard error unchanged, for redrawn lines. Must not be called with text of models or users. */
  draw(text: string): void;
  /** Removes control sequences from a text of models or users, unless `--raw` is set. */
  foreign(text: string): string;
  /** Like {@link OutputWriter.foreign}, for JSON, whose data must not change. */
  foreignJson(json: string): string;
}

/** Returns the size of a stream, or a default if it is missing or 0, which some terminals report. */
export function terminalSizeOrDefault(size: number | undefined, otherwise: number): number {
  return size === undefined || size < 1 ? otherwise : size;
}

/** Creates the output writer of one command. */
export function createOutputWriter(
  host: ProcessHost,
  options: { readonly color?: boolean; readonly raw?: boolean } = {},
): OutputWriter {
  const style = createTextStyles(options.color ?? shouldUseColors(host.stdout, host.env));
  const columns = Math.max(20, terminalSizeOrDefault(host.stdout.columns, host.stdout.isTTY === true ? 80 : 120));
  const safe = options.raw === true ? (text: string) => text : style.colors ? stripExceptColors : stripControlSequences;
  return {
    style,
    live: host.stderr.isTTY === true && host.env['TERM'] !== 'dumb',
    columns,
    screen: host.stdout.isTTY === true && options.raw !== true ? columns : null,
    get liveColumns() {
      return Math.max(20, terminalSizeOrDefault(host.stderr.columns, 80));
    },
    safe,
    print: (text) => void host.stdout.write(safe(text.endsWith('\n') ? text : `${text}\n`)),
    write: (text) => void host.stdout.write(text),
    json: (value) => void host.stdout.write(`${toJsonText(value)}\n`),
    note: (text) => void host.stderr.write(safe(text)),
    draw: (text) => void host.stderr.write(text),
    foreign: options.raw === true ? (text) => text : stripControlSequences,
    foreignJson: options.raw === true ? (json) => json : printableJson,
  };
}

/** Serialises JSON with maps as objects and without raw control characters. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value, (_key, each: unknown) => (each instanceof Map ? Object.fromEntries(each) : each));
  return printableJson(text ?? 'null');
}

/** Escapes control characters in JSON; they occur only in strings. */
function printableJson(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
