/** `npm run bench -- core` prints a table and JSON; `--json` prints only JSON. */
import { loadavg } from 'node:os';
import { formatMeasurements, type Measurement } from './measure.ts';

const benches: { readonly [name: string]: () => Promise<readonly Measurement[]> } = {
  core: async () => (await import('./core.ts')).benchCore(),
  stores: async () => (await import('./stores.ts')).benchStores(),
  limits: async () => (await import('./limits.ts')).benchLimits(),
  growth: async () => (await import('./growth.ts')).benchGrowth(),
  engine: async () => (await import('./engine.ts')).benchEngine(),
  server: async () => (await import('./server.ts')).benchServer(),
  sessions: async () => (await import('./sessions.ts')).benchSessions(),
  proxy: async () => (await import('./proxy.ts')).benchProxy(),
  web: async () => (await import('./web.ts')).benchWeb(),
  install: async () => (await import('./install.ts')).benchInstall(),
  formats: async () => (await import('./formats.ts')).benchFormats(),
  owners: async () => (await import('./owners.ts')).benchOwners(),
  scale: async () => (await import('./scale.ts')).benchScale(),
  cli: async () => (await import('./cli.ts')).benchCli(),
  client: async () => (await import('./client.ts')).benchClient(),
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
  if (!process.argv.includes('--json')) console.log(`${formatMeasurements(measures)}\n`);
  const load = Math.round(loadavg()[1] ?? 0);
  console.log(JSON.stringify({ bench: name, load, node: process.version, measures }));
  if (missed.length > 0) process.exitCode = 1;
}
