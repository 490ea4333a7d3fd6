/** `npm run bench -- core` prints a table and JSON; `--json` prints only JSON. */
import { type Measure, table } from './measure.ts';

const benches: { readonly [name: string]: () => Promise<readonly Measure[]> } = {
  core: async () => (await import('./core.ts')).core(),
  stores: async () => (await import('./stores.ts')).stores(),
  limits: async () => (await import('./limits.ts')).limits(),
  engine: async () => (await import('./engine.ts')).engine(),
  server: async () => (await import('./server.ts')).server(),
  sessions: async () => (await import('./sessions.ts')).sessions(),
  proxy: async () => (await import('./proxy.ts')).proxy(),
  web: async () => (await import('./web.ts')).web(),
  install: async () => (await import('./install.ts')).install(),
  formats: async () => (await import('./formats.ts')).formats(),
  cli: async () => (await import('./cli.ts')).cli(),
};

const names = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = names.find((name) => !Object.hasOwn(benches, name));
if (names.length === 0 || unknown !== undefined) {
  const known = Object.keys(benches).join(', ');
  console.error(
    unknown === undefined ? `Name what to measure: ${known}.` : `There is no bench ${unknown}; there is ${known}.`,
  );
  process.exit(2);
}
for (const name of names) {
  const measures = (await benches[name]?.()) ?? [];
  const missed = measures.filter((measure) => measure.kept === false);
  if (!process.argv.includes('--json')) console.log(`${table(measures)}\n`);
  console.log(JSON.stringify({ bench: name, node: process.version, measures }));
  if (missed.length > 0) process.exitCode = 1;
}
