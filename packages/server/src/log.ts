/** The server's log: JSON lines without keys, tokens or message contents. */
import { redactKeys } from '@coppice/engine';
import { type DestinationStream, type Logger, pino } from 'pino';
import { processId } from '#platform/system';

/** The level and the destination of the log. */
export interface LogOptions {
  /** The lowest level that is logged; by default `info`. */
  readonly level?: string | undefined;
  /** The destination; by default standard output. */
  readonly to?: DestinationStream | undefined;
}

/** Creates a log. Secrets are removed from every line as a whole. */
export function createLog(options: LogOptions = {}): Logger {
  const to = options.to ?? pino.destination({ fd: 1, sync: false });
  const safe: DestinationStream = { write: (line) => to.write(redactKeys(line)) };
  return pino(
    {
      level: options.level ?? 'info',
      base: { pid: processId },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
    },
    safe,
  );
}

/**
 * Returns the fields of an error that are logged: name, message, code, stack and cause. The data is left out, because
 * it may contain messages of a conversation.
 */
function errorFields(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {};
  return { name, message, ...code, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
