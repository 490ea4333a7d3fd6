/** Why a turn is stopped. */
export type StopKind = 'abort' | 'close' | 'deadline' | 'lost';

/** The abort reason of the engine itself; any other reason is a request of the user. */
export class TurnStopReason extends Error {
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`Stopped: ${kind}.`);
    this.name = 'Stop';
    this.kind = kind;
  }
}

/** Why a signal was aborted; null if it was not. */
export function stopKindOf(signal: AbortSignal): StopKind | null {
  if (!signal.aborted) return null;
  return signal.reason instanceof TurnStopReason ? signal.reason.kind : 'abort';
}

/**
 * A controller that aborts with another signal, until it is unlinked; unlinking removes the listener from a
 * long-lived signal.
 */
export function createLinkedController(signal: AbortSignal | undefined): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  if (signal === undefined) return { controller, unlink: () => undefined };
  const pass = () => controller.abort(signal.reason);
  if (signal.aborted) pass();
  else signal.addEventListener('abort', pass, { once: true });
  return { controller, unlink: () => signal.removeEventListener('abort', pass) };
}
