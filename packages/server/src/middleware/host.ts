/** Refuses requests for other hosts before anything else: a page that rebinds its name to this machine gets nothing. */
import { hostOf, type ServerContext } from '../env.ts';
import { refuseHttp } from '../http-errors.ts';
import type { Services } from '../services.ts';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a `Host` is one of ours: a name of this machine with our own port, or a name that the operator listed. */
function isOwnHost(host: string, services: Pick<Services, 'hosts' | 'bound'>): boolean {
  const [, name = '', port] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(host) ?? [];
  if (name === '') return false;
  // A listed name stands for itself with any port only if it was listed without one: a proxy may add its own.
  if (services.hosts.some((listed) => listed === host || listed === name)) return true;
  if (!loopbackNames.has(name)) return false;
  const { port: bound } = services.bound;
  return bound === null || Number(port ?? 80) === bound;
}

function countHosts(context: ServerContext): number {
  const raw = context.env?.incoming?.rawHeaders;
  if (raw === undefined) return context.req.header('host')?.split(',').length ?? 0;
  let count = 0;
  for (let at = 0; at < raw.length; at += 2) if (raw[at]?.toLowerCase() === 'host') count += 1;
  return count;
}

/** The check, for every route, stream and file alike. */
export function checkHost(context: ServerContext): void {
  // The first and the last of several would be believed by different programs on the way.
  if (countHosts(context) > 1) refuseHttp('http/invalid', 'A request has one Host header.');
  const host = hostOf(context);
  if (!isOwnHost(host, context.get('services')))
    refuseHttp(
      'http/forbidden-host',
      `This server does not answer for the host ${JSON.stringify(host.slice(0, 100))}.`,
    );
}
