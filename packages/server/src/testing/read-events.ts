/** Reads server-sent events as a browser does. */

export interface ReceivedEvent {
  readonly event: string;
  readonly id: string | null;
  /** The value that `JSON.parse` returns. */
  readonly data: ReturnType<typeof JSON.parse>;
}

/** A reader of one event stream. It keeps all events that it has read. */
export class EventReader {
  readonly seen: ReceivedEvent[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(response: Response) {
    if (response.body === null || !response.ok) throw new Error(`There is no stream: ${response.status}`);
    this.#reader = response.body.getReader();
  }

  /** Reads until a condition is true for the events so far. Throws if the stream ends before. */
  async until(holds: (seen: readonly ReceivedEvent[]) => boolean): Promise<readonly ReceivedEvent[]> {
    while (!holds(this.seen))
      if (!(await this.#more())) throw new Error(`The stream ended: ${JSON.stringify(this.seen)}`);
    return this.seen;
  }

  /** Reads all remaining events. */
  async all(): Promise<readonly ReceivedEvent[]> {
    while (await this.#more());
    return this.seen;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    this.#rest += this.#decoder.decode(value, { stream: true });
    const parts = this.#rest.split('\n\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.#take(part);
    return true;
  }

  #take(part: string): void {
    const fields = new Map(
      part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const data = fields.get('data');
    if (data === undefined) return;
    this.seen.push({ event: fields.get('event') ?? 'message', id: fields.get('id') ?? null, data: JSON.parse(data) });
  }

  close(): Promise<void> {
    return this.#reader.cancel().catch(() => undefined);
  }
}
