import type { JsonObject } from '@coppice/core';
import { defineTool } from '../define.ts';
import { makeToolError } from '../errors.ts';

/** Returns the current date and time in a time zone. */
export const currentDateTool = defineTool({
  name: 'current_date',
  description: 'Tells the current date, time and day of the week, in UTC or in a time zone.',
  sideEffects: false,
  parameters: {
    type: 'object',
    properties: {
      time_zone: { type: 'string', description: 'A time zone such as Europe/Berlin; UTC if not given.', maxLength: 64 },
    },
    additionalProperties: false,
  },
  run(parameters, { now }): JsonObject {
    const { time_zone: zone } = parameters;
    return dateIn(now(), typeof zone === 'string' ? zone : 'UTC');
  },
});

function dateIn(at: number, zone: string): JsonObject {
  const part = dateParts(at, zone);
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  const time = `${part('hour')}:${part('minute')}:${part('second')}`;
  // Intl formats a zero offset as "GMT" alone.
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
  return { iso: `${date}T${time}${offset}`, date, time, weekday: part('weekday'), time_zone: zone };
}

function dateParts(at: number, zone: string): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = formatter(zone).formatToParts(at);
  return (type) => parts.find((part) => part.type === type)?.value ?? '';
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      weekday: 'long',
      timeZoneName: 'longOffset',
    });
  } catch (error) {
    throw makeToolError(
      'tool/bad-arguments',
      `There is no time zone ${JSON.stringify(timeZone)}; use a name such as Europe/Berlin.`,
      { timeZone },
      error,
    );
  }
}
