/** The processor time of a database server, which does not depend on what else the machine does. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresServer } from '@coppice/stores/testing/postgres-server';

/**
 * Returns the processor time of a database server and its child processes in microseconds; null if the system does not
 * report it.
 */
export async function readServerCpu(server: PostgresServer): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const [postmaster] = readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
  let ticks = 0;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    let stat: string;
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    } catch {
      continue;
    }
    // The fields after the name: state, parent, and from the twelfth on the times of the process and of its ended
    // children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (pid !== postmaster && fields[1] !== postmaster) continue;
    const own = Number(fields[11]) + Number(fields[12]);
    ticks += own + (pid === postmaster ? Number(fields[13]) + Number(fields[14]) : 0);
  }
  return ticks * 10_000;
}
