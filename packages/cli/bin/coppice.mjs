#!/usr/bin/env node
// Runs the built command in an installed package, and the sources in a checkout.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/src/main.js', import.meta.url);
if (existsSync(built)) await import(built.href);
else {
  const { register } = await import('tsx/esm/api');
  // A fixed path: configuration from the current directory must have no effect.
  register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
  await import(new URL('../src/main.ts', import.meta.url).href);
}
