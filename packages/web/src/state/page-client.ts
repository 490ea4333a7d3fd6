/** The client of the server that this page came from. */
import { createClient } from '@coppice/client';
import { fetchOrCopy } from './offline-copies.ts';
import { pageHost } from './page-host.ts';

let signedOut = (): void => undefined;

/** Registers a listener that is called when the user is no longer signed in. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

/** The page's client. */
export const pageClient = createClient({
  onSignedOut: () => signedOut(),
  fetch: pageHost.fetch ?? fetchOrCopy,
});

/** The API methods of the page. */
export const { api, routes } = pageClient;

// The browser asks before leaving: waiting writes are not stored anywhere else yet.
globalThis.addEventListener?.('beforeunload', (event) => {
  if (pageClient.hasWaitingWrites()) event.preventDefault();
});
