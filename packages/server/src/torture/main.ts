/** `npm run torture -- pgwriters [--servers 3 --writers 24 --convs 10 --secs 60 --acks 10000 --kill 5 --restarts 2 --seed n]` */
import { parseArgs } from 'node:util';
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { runPgWriters } from './pgwriters.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    servers: { type: 'string', default: '3' },
    writers: { type: 'string', default: '24' },
    convs: { type: 'string', default: '10' },
    secs: { type: 'string', default: '60' },
    acks: { type: 'string', default: '10000' },
    kill: { type: 'string', default: '5' },
    restarts: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const postgres = await PostgresServer.start();
try {
  const url = await postgres.createDatabase();
  console.log(`torture pgwriters --seed ${values.seed}`);
  const report = await runPgWriters({
    database: { url, restart: () => postgres.restart('SIGQUIT') },
    servers: Number(values.servers),
    writers: Number(values.writers),
    conversations: Number(values.convs),
    seconds: Number(values.secs),
    atLeast: Number(values.acks),
    killEvery: Number(values.kill),
    restarts: Number(values.restarts),
    seed: Number(values.seed),
    say: (line) => console.log(line),
  });
  const figures = Object.entries(report.figures).map(([name, value]) => `${name} ${value}`);
  console.log(
    `${report.acknowledged} acknowledged, ${report.kills} kills, ${report.restarts} restarts of the database`,
  );
  console.log(`${figures.join(', ')}\nNothing lost, nothing broken.`);
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
} finally {
  await postgres.close();
}
