/** A browser forwards no calls of other programs: it cannot receive them, and services refuse requests of a page. */
import type { FinishedResponse, ForwardedCall, UpstreamResponse } from '../node/upstream.ts';
import { refuseInBrowser } from './refuse.ts';

export type { FinishedResponse, ForwardedCall, UpstreamResponse };

/** Rejects; calls of the built-in models are answered without another service. */
export async function forwardCall(): Promise<UpstreamResponse> {
  return refuseInBrowser('Forwarding a call');
}
