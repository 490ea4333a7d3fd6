/** Assigns an id to each request, which its response and its log line contain. */
import { randomText } from '#platform/crypto';
import { readRequestHeader, type ServerContext } from '../env.ts';

const acceptable = /^[A-Za-z0-9-]{8,64}$/;

/**
 * Returns a function that creates request ids: a random prefix and a counter. A random id for each request would be
 * slower.
 */
export function createRequestIdGenerator(): (context: ServerContext) => string {
  const beginning = randomText(6, 'hex');
  let count = 0;
  return (context) => {
    // A reverse proxy may have assigned an id, which is then in both logs.
    const given = readRequestHeader(context, 'x-request-id');
    if (given !== undefined && acceptable.test(given)) return given;
    count += 1;
    return `${beginning}-${count.toString(36)}`;
  };
}
