import { readFileSync } from 'node:fs';
import type { ContentBlock } from '@coppice/content';
import type { Message, Role } from '@coppice/core';

/** The text of a recorded stream or response in the `fixtures` folder next to the test. */
export function fixture(base: string, name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, base), 'utf8');
}

export function said(role: Role, ...content: readonly ContentBlock[]): Message {
  return { role, content };
}

/** A tool result message. */
export function result(id: string, text: string): Message {
  return { ...said('tool', { type: 'text', text }), tool_call_id: id };
}
