/**
 * Stores the page's own files, so that the page opens without the server, and opens the chat of a notification. It does
 * not store chats: the page does that itself, because only the page knows which chats may be stored.
 */
// An export makes this file a module, so that `self` has the type of a service worker.
export {};

declare const self: ServiceWorkerGlobalScope;

const cacheName = 'coppice-shell-1';
const shellPath = '/';

/** Stores the page and the files that it names; files of an earlier build are removed. */
async function storeShell(response: Response): Promise<void> {
  const cache = await caches.open(cacheName);
  const known = await cache.match(shellPath);
  const text = await response.clone().text();
  if (known !== undefined && (await known.text()) === text) return;
  const named = new Set([...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? shellPath));
  for (const request of await cache.keys()) if (!named.has(new URL(request.url).pathname)) await cache.delete(request);
  await cache.addAll([...named]);
  await cache.put(shellPath, response);
}

/** The page from the server, or the stored one if the server cannot be reached. */
async function answerPage(event: FetchEvent): Promise<Response> {
  try {
    const response = await fetch(event.request);
    const isPage = response.ok && response.headers.get('content-type')?.startsWith('text/html') === true;
    if (isPage) event.waitUntil(storeShell(response.clone()).catch(() => undefined));
    return response;
  } catch (thrown) {
    const stored = await caches.match(shellPath, { cacheName });
    if (stored === undefined) throw thrown;
    return stored;
  }
}

/** Returns a file whose name contains a hash of its content, so that the stored one is always current. */
async function answerAsset(request: Request): Promise<Response> {
  const stored = await caches.match(request, { cacheName });
  if (stored !== undefined) return stored;
  const response = await fetch(request);
  if (response.ok) {
    const cache = await caches.open(cacheName);
    await cache.put(request, response.clone());
  }
  return response;
}

self.addEventListener('install', (event) => {
  const stored = fetch(shellPath, { cache: 'no-cache' }).then(storeShell);
  event.waitUntil(stored.then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

// The page shows a notification through this worker where it may not show one itself, as on Android.
self.addEventListener('notificationclick', (event) => {
  const path = String(event.notification.data ?? shellPath);
  event.notification.close();
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then((windows) => {
      const known = windows.find((each) => new URL(each.url).pathname === path);
      return known === undefined ? self.clients.openWindow(path) : known.focus();
    }),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (pathname.startsWith('/assets/')) event.respondWith(answerAsset(request));
  // A sign-in link must reach the server; it answers with a cookie.
  else if (request.mode === 'navigate' && !/[?&](?:token|code)=/.test(search) && !/^\/(?:api|v1|mcp)\//.test(pathname))
    event.respondWith(answerPage(event));
});
