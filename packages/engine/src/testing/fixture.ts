import { readFileSync } from 'node:fs';
import type { ContentBlock } from '@coppice/content';
import type { Message, Role } from '@coppice/core';

/** The text of a recorded stream or response in the `fixtures` folder next to the test. */
export function readFixture(base: string, name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, base), 'utf8');
}

export function makeMessage(role: Role, ...content: readonly ContentBlock[]): Message {
  return { role, content };
}

/** A tool result message. */
export function makeToolResult(id: string, text: string): Message {
  return { ...makeMessage('tool', { type: 'text', text }), tool_call_id: id };
}
