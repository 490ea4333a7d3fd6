import { redactKeys } from '../http/redact.ts';

/** Returns the message of an error and its cause, without secrets. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return redactKeys(text + cause).slice(0, 2_048);
}
