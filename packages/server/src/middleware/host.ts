/** Refuses requests for other hosts before anything else, as protection against DNS rebinding. */
import { hostOf, type ServerContext } from '../env.ts';
import { throwHttpError } from '../http-errors.ts';
import type { SharedServices } from '../services.ts';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a `Host` header names this server: a loopback name with our own port, or a name that the operator listed. */
function isOwnHost(host: string, services: Pick<SharedServices, 'hosts' | 'bound'>): boolean {
  const [, name = '', port] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(host) ?? [];
  if (name === '') return false;
  // A name that is listed without a port matches any port, because a proxy may add its own.
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

/** Throws if the request is for another host. */
export function assertAllowedHost(context: ServerContext): void {
  // With several Host headers, a proxy and this server could use different ones.
  if (countHosts(context) > 1) throwHttpError('http/invalid', 'A request must have exactly one Host header.');
  const host = hostOf(context);
  if (!isOwnHost(host, context.get('services')))
    throwHttpError(
      'http/forbidden-host',
      `This server does not answer for the host ${JSON.stringify(host.slice(0, 100))}.`,
    );
}
