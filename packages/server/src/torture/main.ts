/**
 * `npm run torture -- pgwriters [--servers 3 --writers 24 --convs 10 --secs 60 --acks 10000 --kill 5 --restarts 2
 * --seed n]` and `npm run torture -- servers [--servers 3 --users 8 --writers 24 --secs 120 --acks 10000 --kill 5
 * --restarts 4 --moves 20 --seed n]`
 */
import { parseArgs } from 'node:util';
import { hasPgBouncer, startPgBouncer } from '@coppice/stores/testing/pgbouncer';
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { runPgWriters } from './pgwriters.ts';
import { runServerTorture } from './servers.ts';

const [, , name = ''] = process.argv;
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    servers: { type: 'string', default: '3' },
    users: { type: 'string', default: '8' },
    writers: { type: 'string', default: '24' },
    convs: { type: 'string', default: '10' },
    secs: { type: 'string', default: name === 'servers' ? '120' : '60' },
    acks: { type: 'string', default: '10000' },
    kill: { type: 'string', default: '5' },
    restarts: { type: 'string', default: name === 'servers' ? '4' : '2' },
    moves: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const common = {
  servers: Number(values.servers),
  writers: Number(values.writers),
  seconds: Number(values.secs),
  atLeast: Number(values.acks),
  killEvery: Number(values.kill),
  restarts: Number(values.restarts),
  seed: Number(values.seed),
  say: (line: string) => console.log(line),
};

async function tryPgWriters(first: PostgresServer): Promise<string> {
  const database = { url: await first.createDatabase(), restart: () => first.restart('SIGQUIT') };
  const report = await runPgWriters({ ...common, database, conversations: Number(values.convs) });
  const counts = `${report.acknowledged} acknowledged, ${report.kills} kills, ${report.restarts} restarts of the database`;
  return `${counts}\n${listFigures(report.figures)}\nNothing lost, nothing broken.`;
}

async function tryServers(first: PostgresServer): Promise<string> {
  const second = await PostgresServer.start();
  const bouncer = hasPgBouncer() ? await startPgBouncer(first.url('postgres'), 'transaction') : null;
  console.log(bouncer === null ? 'There is no PgBouncer.' : 'Every second server is behind PgBouncer.');
  try {
    const counts = { users: Number(values.users), moves: Number(values.moves) };
    const report = await runServerTorture({ ...common, ...counts, first, second, pooled: bouncer?.urlOf });
    const { acknowledged, kills, restarts, moves, bucketMoves, promotions } = report;
    const done = `${kills} kills, ${restarts} restarts of a database, ${moves} moves of users, ${bucketMoves} of a bucket, ${promotions} promotion`;
    return `${acknowledged} acknowledged, ${done}\n${listFigures(report.figures)}\nNothing lost, nothing doubled, feeds without gap.`;
  } finally {
    await bouncer?.close();
    await second.close();
  }
}

function listFigures(figures: Readonly<{ [name: string]: number }>): string {
  return Object.entries(figures)
    .map(([what, value]) => `${what} ${value}`)
    .join(', ');
}

const first = await PostgresServer.start({ settings: { wal_level: 'logical' } });
try {
  console.log(`torture ${name} --seed ${values.seed}`);
  console.log(await (name === 'servers' ? tryServers(first) : tryPgWriters(first)));
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
} finally {
  await first.close();
}
