/** Recorded sessions as a table for spreadsheets. */
import type { RecordedSession } from './agents-api.ts';

const columns: readonly (readonly [string, (session: RecordedSession) => string | number | null])[] = [
  ['program', ({ program }) => program],
  ['project', ({ project }) => project],
  ['folder', ({ folder }) => folder],
  ['branch', ({ branch }) => branch],
  ['kind', ({ kind }) => kind],
  ['title', ({ title }) => title],
  ['session', ({ session }) => session],
  ['model', ({ model }) => model],
  ['calls', ({ figures }) => figures.calls],
  ['tool_calls', ({ figures }) => figures.toolCalls],
  ['tokens', ({ figures }) => figures.tokens],
  ['cached_tokens', ({ figures }) => figures.cachedTokens],
  ['cost_usd', ({ figures }) => figures.cost],
  ['errors', ({ figures }) => figures.errors],
  ['work_ms', ({ figures }) => figures.workMs],
  ['started', ({ startedAt }) => new Date(startedAt).toISOString()],
  ['last', ({ lastAt }) => new Date(lastAt).toISOString()],
];

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A spreadsheet would execute a text that begins like a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Formats sessions as CSV (RFC 4180), with a header line. */
export function sessionsToCsv(sessions: readonly RecordedSession[]): string {
  const lines = [
    columns.map(([name]) => name),
    ...sessions.map((session) => columns.map(([, read]) => cell(read(session)))),
  ];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
