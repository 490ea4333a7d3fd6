/** The operations that every candidate runs on the sample. */
import type { NodeId } from '@coppice/core';

/** A chat that is open in a library. Its data comes from a fetch that answers from memory. */
export interface OpenedChat {
  /** Returns the texts that a page would draw, oldest first. */
  texts(): readonly string[];
  /** Shows the branch through a variant; calls `drawn` when a page could draw it. */
  show(variant: NodeId, drawn: () => void): void;
  /** Adds a user's message at the end of the shown branch; calls `drawn` when a page could draw it. */
  append(id: NodeId, text: string, drawn: () => void): void;
  /**
   * Reads a reply of `length` characters from events at the end of the shown branch; resolves when all of it is shown.
   */
  stream(events: readonly Uint8Array[], length: number): Promise<void>;
  /** Resolves when no work is pending. */
  settle(): Promise<void>;
  close(): void;
}

/** A library under test, which shows trees of messages. */
export interface LibraryCandidate {
  readonly name: string;
  /** Opens the chat; resolves when its first branch can be drawn. */
  open(): Promise<OpenedChat>;
  /** Returns the events of a reply in the format of this library, one for each piece of text. */
  events(pieces: readonly string[]): readonly Uint8Array[];
  close(): Promise<void>;
}

const encoder = new TextEncoder();

/** Encodes a server-sent event. */
export function encodeServerSentEvent(name: string, data: object): Uint8Array {
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Returns a stream of bytes that are already in memory, one chunk each. */
export function streamFromChunks(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}
