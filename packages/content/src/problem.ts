import { makeRefusedResult, type Refusal } from '@coppice/core';

/** Cuts a text to `most` UTF-16 units and adds an ellipsis; never cuts inside a surrogate pair. */
export function truncateText(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)}…`;
}

/** Formats a foreign value for an error message: short and on one line. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(truncateText(value, 60));
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return value === undefined ? 'nothing' : `a value of type ${typeof value}`;
}

/** Refuses a message. The error text is `where`, such as `content[2]`, followed by `what`. */
export function refuseInvalidInput(
  where: string,
  what: string,
  data: Readonly<Record<string, unknown>> = {},
): { readonly ok: false; readonly refusal: Refusal } {
  return makeRefusedResult('message/invalid', `${where} ${what}.`, { where, ...data });
}
