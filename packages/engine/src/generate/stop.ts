/** Why something that runs is told to stop. */
export type StopKind = 'abort' | 'close' | 'deadline' | 'lost';

/** The reason of an abort that comes from us; anything else that fires a signal is somebody's wish to stop. */
export class Stop extends Error {
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`Stopped: ${kind}.`);
    this.name = 'Stop';
    this.kind = kind;
  }
}

/** Why a signal fired; null while it has not. */
export function stopKind(signal: AbortSignal): StopKind | null {
  if (!signal.aborted) return null;
  return signal.reason instanceof Stop ? signal.reason.kind : 'abort';
}

/** A controller that fires with another signal, until it is unlinked: a signal that outlives it keeps no listener. */
export function linkedController(signal: AbortSignal | undefined): {
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
