/** MCP servers as child processes do not exist in a browser. */
import type { ChildCommand, ChildTransport } from '../node/child-transport.ts';
import { refuseInBrowser } from './refuse.ts';

export type { ChildCommand, ChildTransport };

/** Throws, because a browser starts no processes. Connect to the server by its URL. */
export function createChildTransport({ command }: ChildCommand): ChildTransport {
  return refuseInBrowser(`The MCP server ${command[0] ?? ''}, which is a program on this computer,`);
}
