/**
 * Copies of the last chats in this browser, readable without the server. They are removed when the user may no longer
 * read them: on signing out, when another user signs in, and when a chat is deleted. Temporary chats are never stored.
 */
import { browserStorage } from '@coppice/client';

const cacheName = 'coppice-chats-1';
/** The number of chats with a copy; copies of chats that were opened earlier are removed. */
export const maxOfflineCopies = 20;

/** Requests that every chat needs although they are not about one chat: lists, models, and the signed-in user. */
const common = /^\/api\/(?:trees|models|tools|commands|me)$/;
const ofChat = /^\/api\/trees\/([\w-]+)(\/page|\/nodes\/[\w-]+\/path)?$/;

/** After signing out, responses that are still pending are not stored. */
let isForgotten = false;

/** Chats that may be stored, according to the server's responses in this page. */
const storable = new Set<string>();

/** Whether this browser can store copies: only over a secure connection, or on this computer. */
export function canStoreOfflineCopies(): boolean {
  return typeof caches !== 'undefined';
}

function keptChats(): readonly string[] {
  return (browserStorage.read('offline-chats') ?? '').split(' ').filter(Boolean);
}

/** The chats with a copy, a draft or unsent messages in this browser. */
export function listChatsInBrowser(): ReadonlySet<string> {
  const found = new Set(keptChats());
  for (const name of storedNames()) {
    const id = /^(?:draft|draft-files|unsent)\.([\w-]{36})$/.exec(name)?.[1];
    if (id !== undefined) found.add(id);
  }
  return found;
}

const prefix = 'coppice.';

function storedNames(): readonly string[] {
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  } catch {
    // A browser that forbids storage has stored nothing.
    return [];
  }
}

/** The store of copies; null in a browser that has none or forbids it, as some do in private windows. */
async function openCopies(): Promise<Cache | null> {
  return canStoreOfflineCopies() ? caches.open(cacheName).catch(() => null) : null;
}

async function findCopy(url: string): Promise<Response | undefined> {
  return (await openCopies())?.match(url);
}

async function deleteEntries(isGone: (url: URL) => boolean): Promise<void> {
  const cache = await openCopies();
  if (cache === null) return;
  for (const request of await cache.keys()) if (isGone(new URL(request.url))) await cache.delete(request);
}

/** Removes the copy of a chat; drafts and unsent messages stay. */
export async function removeOfflineCopy(id: string): Promise<void> {
  storable.delete(id);
  browserStorage.write(
    'offline-chats',
    keptChats()
      .filter((each) => each !== id)
      .join(' ') || null,
  );
  await deleteEntries((url) => ofChat.exec(url.pathname)?.[1] === id);
}

/** Removes everything of a chat that this browser has: its copy, drafts and unsent messages. */
export async function removeChatFromBrowser(id: string): Promise<void> {
  for (const name of ['draft', 'draft-files', 'unsent']) browserStorage.write(`${name}.${id}`, null);
  await removeOfflineCopy(id);
}

/** Removes the copies of all chats; drafts and unsent messages stay. */
export async function removeOfflineCopies(): Promise<void> {
  storable.clear();
  browserStorage.write('offline-chats', null);
  await deleteEntries(() => true);
}

/** Removes everything of a user that this browser has, as on signing out: copies, drafts and unsent messages. */
export async function removeUserFromBrowser(): Promise<void> {
  isForgotten = true;
  for (const name of storedNames())
    if (/^(?:draft|draft-files|unsent|edit)\b/.test(name)) browserStorage.write(name, null);
  browserStorage.write('offline-owner', null);
  await removeOfflineCopies();
}

/** Remembers the signed-in user, and removes everything that another user left in this browser. */
export async function rememberSignedInUser(id: string): Promise<void> {
  const before = browserStorage.read('offline-owner');
  if (before !== null && before !== id) await removeUserFromBrowser();
  isForgotten = false;
  browserStorage.write('offline-owner', id);
}

async function store(request: Request, response: Response): Promise<void> {
  const { pathname, searchParams } = new URL(request.url);
  const chat = ofChat.exec(pathname);
  const id = chat?.[1];
  if (id !== undefined && chat?.[2] === undefined) {
    const tree: { readonly temporary?: boolean } = await response.clone().json();
    if (tree.temporary === true) return removeOfflineCopy(id);
    storable.add(id);
  }
  // Only the end of a branch is stored, not the pages that were loaded by scrolling.
  if (searchParams.has('before') || searchParams.has('after') || searchParams.has('cursor')) return;
  if (id !== undefined) {
    if (!storable.has(id)) return;
    const chats = [...keptChats().filter((each) => each !== id), id];
    for (const oldest of chats.splice(0, Math.max(0, chats.length - maxOfflineCopies))) await removeOfflineCopy(oldest);
    browserStorage.write('offline-chats', chats.join(' '));
    if (chat?.[2] === '/page') await deleteEntries((url) => url.pathname === pathname);
  }
  const cache = await openCopies();
  if (!isForgotten) await cache?.put(request.url, response);
}

/** Returns the tree version of a chat's copy; null if the chat has no copy. */
export async function readOfflineCopyVersion(id: string): Promise<number | null> {
  const stored = await findCopy(`/api/trees/${id}`);
  const tree: { readonly version?: number } | undefined = await stored?.json();
  return tree?.version ?? null;
}

/** Whether the status is that of a proxy whose server cannot be reached. */
function isGatewayError(status: number): boolean {
  return status === 502 || status === 504;
}

/**
 * Sends a request. Responses that a chat needs are stored, and returned from the store if the server cannot be reached.
 */
export async function fetchOrReadOfflineCopy(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const chat = ofChat.exec(pathname);
  if (!canStoreOfflineCopies() || request.method !== 'GET' || (chat === null && !common.test(pathname)))
    return fetch(request);
  let response: Response | null = null;
  try {
    response = await fetch(request);
    if (response.ok) void store(request, response.clone()).catch(() => undefined);
    if (response.status === 404 && chat?.[1] !== undefined && chat[2] === undefined)
      void removeChatFromBrowser(chat[1]);
    if (!isGatewayError(response.status)) return response;
  } catch (thrown) {
    const stored = await findCopy(request.url);
    if (stored !== undefined) return stored;
    throw thrown;
  }
  return (await findCopy(request.url)) ?? response;
}
