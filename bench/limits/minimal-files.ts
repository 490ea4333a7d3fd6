/** The fastest possible stores without a database: a file of lines, and a Map. */
import { closeSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';

interface PlainMessage {
  readonly id: string;
  readonly parentId: string | null;
  readonly role: string;
  readonly content: unknown;
}

/** A tree as a Map: the least work that an in-memory store can do. */
export class MinimalMap {
  readonly #nodes = new Map<string, PlainMessage>();
  readonly #children = new Map<string | null, string[]>();
  readonly #texts = new Map<string, string>();

  add(message: PlainMessage): void {
    this.#nodes.set(message.id, message);
    const list = this.#children.get(message.parentId);
    if (list === undefined) this.#children.set(message.parentId, [message.id]);
    else list.push(message.id);
  }

  /** Adds a message that can be found by its content. */
  addFound(message: PlainMessage, content: string): void {
    this.add(message);
    this.#texts.set(`${message.parentId}${content}`, message.id);
  }

  /** Returns the child of a message with this content. */
  find(parentId: string, content: string): string | undefined {
    return this.#texts.get(`${parentId}${content}`);
  }

  shape(): unknown[] {
    const rows: unknown[] = [];
    for (const { id, parentId, role } of this.#nodes.values()) rows.push({ id, parentId, role });
    return rows;
  }
}

/** A file of lines with an index file: id, offset, length and parent of each line. */
export class MinimalLineFile {
  readonly #file: number;
  readonly #index: number;
  #end: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a+');
    this.#index = openSync(`${path}.index`, 'a+');
    this.#end = statSync(path).size;
  }

  append(message: PlainMessage, sync: boolean): void {
    const line = `${JSON.stringify(message)}\n`;
    const bytes = Buffer.byteLength(line);
    writeSync(this.#file, line);
    writeSync(this.#index, `${message.id} ${this.#end} ${bytes} ${message.parentId ?? '-'}\n`);
    this.#end += bytes;
    if (sync) fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
    closeSync(this.#index);
  }
}

/** Reads the last messages of a branch from the end of a file, where its lines are consecutive. */
export function readLastLines(path: string, count: number): unknown[] {
  const file = openSync(path, 'r');
  const index = openSync(`${path}.index`, 'r');
  try {
    // Index entries have almost the same length, so the last few kilobytes contain the last branch.
    const tail = tailOf(index, `${path}.index`, count * 120)
      .split('\n')
      .filter((line) => line !== '')
      .slice(-count);
    return tail.map((line) => {
      const [, start = '0', bytes = '0'] = line.split(' ');
      const buffer = Buffer.alloc(Number(bytes));
      readSync(file, buffer, 0, buffer.length, Number(start));
      return JSON.parse(buffer.toString()) as unknown;
    });
  } finally {
    closeSync(file);
    closeSync(index);
  }
}

function tailOf(file: number, path: string, bytes: number): string {
  const { size } = statSync(path);
  const buffer = Buffer.alloc(Math.min(size, bytes));
  readSync(file, buffer, 0, buffer.length, size - buffer.length);
  const text = buffer.toString();
  return size > bytes ? text.slice(text.indexOf('\n') + 1) : text;
}
