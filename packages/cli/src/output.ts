/** Where a command writes. Everything a person reads goes through here, so that escapes are dropped at one place. */
import { stripControlSequences, stripExceptColors } from './terminal/strip-control-sequences.ts';
import { createStyle, type Style, wantsColors } from './terminal/style.ts';

/** The streams and the environment of the process, or a test's. */
export interface Host {
  readonly stdout: { write(text: string | Uint8Array): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly home: string;
  readonly cwd: string;
  /** Ends long-running commands, as Ctrl-C does. */
  readonly signal: AbortSignal;
}

/** How a run writes. */
export interface Output {
  readonly style: Style;
  /** Whether standard error is a terminal on which a line can be drawn over. */
  readonly live: boolean;
  readonly columns: number;
  /** The columns of the terminal that shows the answer; null in a pipe or a file, and where texts are wanted as they are. */
  readonly screen: number | null;
  /** The columns of what is drawn over itself: standard error may be a terminal where standard output is none. */
  readonly liveColumns: number;
  /** One line or several of the answer. */
  print(text: string): void;
  /** A piece of the answer that more will follow on the same line. */
  write(text: string | Uint8Array): void;
  /** The answer as JSON, on one line. */
  json(value: unknown): void;
  /** Beside the answer, on standard error. */
  note(text: string): void;
  /** Beside the answer, as it is: for what is drawn over itself on a terminal. Never given a text of somebody else. */
  draw(text: string): void;
  /** What a text of somebody else looks like on a terminal; as it is with `--raw`. */
  foreign(text: string): string;
  /** As {@link Output.foreign}, for JSON that must stay the same data. */
  foreignJson(json: string): string;
}

/** The columns or rows of a stream, or how many to go by: a terminal that nobody told its size says that it has none. */
export function sizeOr(size: number | undefined, otherwise: number): number {
  return size === undefined || size < 1 ? otherwise : size;
}

/** The output of a run. */
export function createOutput(host: Host, options: { readonly color?: boolean; readonly raw?: boolean } = {}): Output {
  const style = createStyle(options.color ?? wantsColors(host.stdout, host.env));
  const columns = Math.max(20, sizeOr(host.stdout.columns, host.stdout.isTTY === true ? 80 : 120));
  const safe = options.raw === true ? (text: string) => text : style.colors ? stripExceptColors : stripControlSequences;
  return {
    style,
    live: host.stderr.isTTY === true && host.env['TERM'] !== 'dumb',
    // A pipe or a file breaks no lines.
    columns,
    screen: host.stdout.isTTY === true && options.raw !== true ? columns : null,
    get liveColumns() {
      return Math.max(20, sizeOr(host.stderr.columns, 80));
    },
    print: (text) => void host.stdout.write(safe(text.endsWith('\n') ? text : `${text}\n`)),
    write: (text) => void host.stdout.write(text),
    json: (value) => void host.stdout.write(`${jsonText(value)}\n`),
    note: (text) => void host.stderr.write(safe(text)),
    draw: (text) => void host.stderr.write(text),
    foreign: options.raw === true ? (text) => text : stripControlSequences,
    foreignJson: options.raw === true ? (json) => json : printableJson,
  };
}

/** JSON in which maps are objects and which no terminal obeys: what is not printable is escaped. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_key, each: unknown) => (each instanceof Map ? Object.fromEntries(each) : each));
  return printableJson(text ?? 'null');
}

/** The same JSON, with what a terminal would obey escaped: such characters stand in texts only. */
function printableJson(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
