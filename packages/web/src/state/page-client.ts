/** The client of the server that this page came from. */
import { createClient } from '@coppice/client';
import { fetchOrReadOfflineCopy } from './offline-copies.ts';
import { pageHost } from './page-host.ts';

let signedOut = (): void => undefined;

/** Registers a listener that is called when the user is no longer signed in. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

/** The client of this page. It calls the listener of `onSignedOut` when a request is refused for a missing sign-in. */
export const pageClient = createClient({
  onSignedOut: () => signedOut(),
  fetch: pageHost.fetch ?? fetchOrReadOfflineCopy,
});

export const { api, routes } = pageClient;

// The browser asks before leaving: a write that waits for the server would be lost with the page.
globalThis.addEventListener?.('beforeunload', (event) => {
  if (pageClient.hasWaitingWrites()) event.preventDefault();
});
