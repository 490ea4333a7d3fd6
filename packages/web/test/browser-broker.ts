/**
 * One Chromium for a whole run of tests. The runner's own process starts it when the first test asks; each test file gets a
 * connection, whose contexts are closed with it. A browser that crashed is replaced by a new one.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { launchBrowserServer } from './browser.ts';

/** Where the broker listens, and the token that shows that a caller belongs to the run. */
export interface BrowserBrokerAddress {
  readonly port: number;
  readonly token: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    browserBroker: BrowserBrokerAddress;
  }
}

/** Starts the broker; the answer stops it and its browser. Called by the test runner, before any test. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const token = randomBytes(16).toString('hex');
  let shared: Promise<BrowserServer> | undefined;
  const endpoint = async (): Promise<string> => {
    shared ??= launchBrowserServer().then((server) => {
      server.on('close', () => {
        shared = undefined;
      });
      return server;
    });
    try {
      return (await shared).wsEndpoint();
    } catch (error) {
      shared = undefined;
      throw error;
    }
  };
  const broker = createServer((request, response) => {
    response.setHeader('connection', 'close');
    if (request.headers.authorization !== token) response.writeHead(404).end();
    else
      endpoint().then(
        (address) => response.end(address),
        (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
      );
  });
  const port = await new Promise<number>((resolve, reject) => {
    broker.once('error', reject);
    broker.listen(0, '127.0.0.1', () => {
      const address = broker.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('The broker has no port.'));
    });
  });
  project.provide('browserBroker', { port, token });
  broker.unref();
  return async () => {
    broker.close();
    await shared?.then(
      (server) => server.close(),
      () => undefined,
    );
  };
}
