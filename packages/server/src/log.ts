/** The log of a server: lines of JSON without any key, token or word of a conversation. */
import { redact } from '@coppice/engine';
import { type DestinationStream, type Logger, pino } from 'pino';

/** How a log is written. */
export interface LogOptions {
  /** `info` if not given. */
  readonly level?: string | undefined;
  /** Standard output if not given. */
  readonly to?: DestinationStream | undefined;
}

/** Makes a log. Whatever goes wrong is written down without secrets: each line passes the redactor as a whole. */
export function createLog(options: LogOptions = {}): Logger {
  const to = options.to ?? pino.destination({ fd: 1, sync: false });
  const safe: DestinationStream = { write: (line) => to.write(redact(line)) };
  return pino(
    {
      level: options.level ?? 'info',
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
    },
    safe,
  );
}

/** What is written of an error: its kind, its sentence and where it came from; not the data, which may hold messages. */
function errorFields(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {};
  return { name, message, ...code, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
