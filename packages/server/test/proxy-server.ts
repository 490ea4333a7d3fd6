/** The proxy process of a benchmark: Coppice with recording, and for comparison a bare proxy. */
import { createServer as createHttpServer, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseConfig } from '@coppice/engine';
import { serve } from '@coppice/server';
import { openStore } from '@coppice/stores';

const [url = '', token = '', upstream = ''] = process.argv.slice(2);
const store = await openStore(url);
const config = parseConfig({ name: 'bench.toml', text: `[proxy]\nopenai = "${upstream}/v1"\n` }, {});
const coppice = await serve({ store, storeUrl: url, config, auth: { mode: 'token', token }, titles: false });
const { recorder } = coppice.server.services;

// Only forwards bytes in both directions: no token, host check, limit or recording.
const bare = createHttpServer({ keepAliveTimeout: 600_000 }, (incoming, outgoing) => {
  const { host: _, ...headers } = incoming.headers;
  const passed = requestHttp(`${upstream}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(passed);
});
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
const port = (bare.address() as AddressInfo).port;

process.on('message', async (message) => {
  if (message === 'usage') process.send?.({ usage: process.cpuUsage() });
  if (message === 'idle') {
    await recorder.idle();
    process.send?.(recorder.state);
  }
  if (message === 'memory') {
    globalThis.gc?.();
    // Resident memory includes that of the recording thread.
    const { heapUsed, rss } = process.memoryUsage();
    process.send?.({ heapUsed, rss });
  }
  if (message === 'collect') {
    globalThis.gc?.();
    process.send?.({ collected: true });
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ports: { coppice: coppice.port, bare: port } });
