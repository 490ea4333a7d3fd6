/**
 * One Chromium for a whole test run. The runner's own process starts it with the first request; each test file gets a
 * connection, whose contexts are closed with it. A crashed browser is replaced.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { launchBrowserServer } from './browser.ts';

/** The broker's port, and the token that identifies callers of this run. */
export interface BrowserBrokerAddress {
  readonly port: number;
  readonly token: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    browserBroker: BrowserBrokerAddress;
  }
}

/** Starts the broker; returns a function that stops it and its browser. Called by the test runner before any test. */
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
