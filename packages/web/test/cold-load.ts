/** Loads a chat in a browser without a cache, over a slow connection or a fast one, and counts what is transferred. */
import type { Browser } from 'playwright-core';

/** The bytes and the time of a first visit to a chat. */
export interface ColdLoad {
  /** Bytes received, with headers and as compressed, until the first message was visible. */
  readonly bytesToFirstMessage: number;
  /** Bytes received until the page was idle. */
  readonly bytesInAll: number;
  /** Milliseconds from the navigation until the first message was visible. */
  readonly firstMessageMs: number;
  /** Bytes by URL path, largest first. */
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly isBefore: boolean }[];
}

/** The speed and the delay of a simulated connection. */
export interface SlowConnection {
  readonly bytesPerSecond: number;
  readonly latencyMs: number;
}

interface Received {
  path: string;
  bytes: number;
  isBefore: boolean;
}

const marker = `new MutationObserver(() => {
  if (globalThis.firstMessageAt === undefined && document.querySelector('[data-testid=thread] article') !== null) {
    globalThis.firstMessageAt = performance.now();
    console.debug('first-message');
  }
}).observe(document, { childList: true, subtree: true })`;

/** The page counts as idle if no request was pending for this long. */
const idleMs = 2_000;

/** Opens a chat for the first time. `signInUrl` signs in without loading the page. */
export async function measureColdLoad(
  browser: Browser,
  { signInUrl, url, connection }: { signInUrl: string; url: string; connection?: SlowConnection },
): Promise<ColdLoad> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  try {
    await context.request.get(signInUrl, { maxRedirects: 0 });
    const page = await context.newPage();
    await page.addInitScript(marker);
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    if (connection !== undefined)
      await session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: connection.latencyMs,
        downloadThroughput: connection.bytesPerSecond,
        uploadThroughput: connection.bytesPerSecond,
      });
    const received = new Map<string, Received>();
    let changedAt = Date.now();
    let isShown = false;
    session.on('Network.requestWillBeSent', ({ requestId, request }) => {
      const { pathname, search } = new URL(request.url);
      received.set(requestId, { path: pathname + search, bytes: 0, isBefore: !isShown });
      changedAt = Date.now();
    });
    const add = (requestId: string, bytes: number) => {
      const known = received.get(requestId);
      if (known !== undefined) known.bytes += bytes;
      changedAt = Date.now();
    };
    session.on('Network.responseReceived', ({ requestId, response }) => add(requestId, response.encodedDataLength));
    session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const known = received.get(requestId);
      if (known !== undefined) known.bytes = encodedDataLength;
    });
    const sum = () => [...received.values()].reduce((all, { bytes }) => all + bytes, 0);
    const shown = new Promise<number>((resolve) => {
      page.on('console', (message) => {
        if (message.text() !== 'first-message') return;
        isShown = true;
        resolve(sum());
      });
    });
    await page.goto(url, { waitUntil: 'commit', timeout: 120_000 });
    const bytesToFirstMessage = await shown;
    const firstMessageMs: number = await page.evaluate('globalThis.firstMessageAt');
    while (Date.now() - changedAt < idleMs) await new Promise((resolve) => setTimeout(resolve, 100));
    return {
      bytesToFirstMessage,
      bytesInAll: sum(),
      firstMessageMs,
      files: [...received.values()].sort((a, b) => b.bytes - a.bytes),
    };
  } finally {
    await context.close();
  }
}
