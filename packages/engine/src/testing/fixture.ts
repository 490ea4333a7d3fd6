import { readFileSync } from 'node:fs';
import type { ContentBlock } from '@coppice/content';
import type { Message, Role } from '@coppice/core';

/** Reads a recorded stream or response from the `fixtures` folder beside the test. */
export function readFixture(base: string, name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, base), 'utf8');
}

export function makeMessage(role: Role, ...content: readonly ContentBlock[]): Message {
  return { role, content };
}

/** Builds the message with the result of a tool call. */
export function makeToolResult(id: string, text: string): Message {
  return { ...makeMessage('tool', { type: 'text', text }), tool_call_id: id };
}
