/** Prints a chat into the terminal's scrollback as it changes. */
import { stripControlSequences } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { wrapLines } from '../terminal/wrap.ts';
import type { ChatSession } from './chat-session.ts';
import { Transcript } from './transcript.ts';

/** Collects the text to print; the screen takes each piece once. */
export class TranscriptQueue {
  readonly #chatSession: ChatSession;
  readonly #style: TextStyles;
  readonly #width: () => number;
  readonly #transcript = new Transcript();
  readonly #listeners = new Set<() => void>();
  readonly #printed: string[] = [];

  /**
   * Subscribes to the session. It must be created before the interface subscribes, so that both show the same state.
   */
  constructor(chatSession: ChatSession, style: TextStyles, width: () => number) {
    this.#chatSession = chatSession;
    this.#style = style;
    this.#width = width;
    chatSession.listen(() => this.#take());
    this.#take();
  }

  /** Returns the texts that are to be printed, and forgets them. */
  takePrinted(): readonly string[] {
    return this.#printed.splice(0);
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Prints the output of a command below the earlier output. */
  print(title: string, text: string): void {
    const width = this.#width();
    const lines = wrapLines(stripControlSequences(text), width);
    this.#add([this.#style.active(`› ${stripControlSequences(title)}`), ...lines, '']);
  }

  /** Returns the lines of the running reply that are not printed yet. */
  pending(): string[] {
    return this.#transcript.pending(this.#chatSession.state, this.#width(), this.#style);
  }

  #take(): void {
    this.#add(this.#transcript.take(this.#chatSession.state, this.#width(), this.#style));
  }

  #add(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#printed.push(lines.join('\n'));
    for (const listener of this.#listeners) listener();
  }
}
