/** Calls for tests of the recorder. */
import type { CaptureHandle, Recorder } from '../src/proxy/recorder.ts';

/** A message that a client sends. */
export interface SentMessage {
  readonly role: string;
  readonly content: string;
}

export function toJsonBytes(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Adds a call to the recorder that waits for its answer. */
export function addCallToRecorder(
  recorder: Recorder,
  messages: string | readonly SentMessage[],
  project = 'p',
): CaptureHandle {
  const said = typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages;
  return recorder.enter({
    owner: 'local',
    project,
    wire: 'chat',
    secrets: [],
    request: toJsonBytes({ model: 'm', messages: said }),
    // All calls have the same session, so that they are in one tree.
    origin: { session: 'one', client: '', grouping: null },
  });
}
