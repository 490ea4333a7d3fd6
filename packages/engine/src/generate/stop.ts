/** Why a turn was stopped: by the user, because the engine closes, by its time limit, or because it lost its run. */
export type StopKind = 'abort' | 'close' | 'deadline' | 'lost';

/** The abort reason that the engine uses; any other reason counts as a request of the user. */
export class TurnStopReason extends Error {
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`Stopped: ${kind}.`);
    this.name = 'Stop';
    this.kind = kind;
  }
}

/** Returns why a signal was aborted; null if it was not aborted. */
export function stopKindOf(signal: AbortSignal): StopKind | null {
  if (!signal.aborted) return null;
  return signal.reason instanceof TurnStopReason ? signal.reason.kind : 'abort';
}

/**
 * Creates a controller that aborts when `signal` does. `unlink` removes the listener, which would otherwise leak on a
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
