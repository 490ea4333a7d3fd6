// Parses dates in all forms that SillyTavern has used. Only ISO dates have a time zone; others are read as UTC, so that
// a file gives the same times on every machine.
import type { Json } from '@coppice/core';
import { parseIsoTime, parseMillisTime } from '../fields.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

// Matches dates such as "January 2, 2026 3:04am".
const writtenDate = /^([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4}),? (\d{1,2}):(\d\d)(?::(\d\d))? ?([ap]m)?$/i;
// Matches dates such as "2026-1-2 @03h 04m 05s 678ms" and "2026-1-2@03h04m05s".
const stamped = /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?$/;

function parseWrittenDate(text: string): number | undefined {
  const [, name = '', day, year, hour, minute, second = '0', half = ''] = writtenDate.exec(text) ?? [];
  const month = months.indexOf(name.toLowerCase());
  if (month === -1) return undefined;
  const twelve = half === '' ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return Date.UTC(Number(year), month, Number(day), twelve, Number(minute), Number(second));
}

function parseStampedDate(text: string): number | undefined {
  const found = stamped.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, milli = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  return Date.UTC(year, month - 1, day, hour, minute, second, milli);
}

/** Parses a date to milliseconds: an ISO date, milliseconds as a number or digits, or one of the readable forms. */
export function parseSillytavernDate(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return parseMillisTime(value);
  if (typeof value !== 'string') return undefined;
  if (/^\d{12,14}$/.test(value)) return parseMillisTime(Number(value));
  const iso = /^\d{4}-\d\d-\d\dT/.test(value) ? parseIsoTime(value) : undefined;
  return iso ?? parseWrittenDate(value) ?? parseStampedDate(value) ?? undefined;
}
