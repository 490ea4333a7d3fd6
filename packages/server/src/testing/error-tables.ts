/** Every code that a server refuses with, for tests that ask something of each. */
import { importErrorKinds } from '@coppice/content/formats';
import { type ErrorKind, refusalKinds } from '@coppice/core';
import {
  commandErrorKinds,
  generateErrorKinds,
  mcpErrorKinds,
  providerErrorKinds,
  toolErrorKinds,
} from '@coppice/engine';
import { httpCodes } from '../http-errors.ts';

/** Every code and its kind, by the part that it comes from. */
export const errorTables: Readonly<Record<string, Readonly<Record<string, ErrorKind>>>> = {
  'Trees, messages, stores': refusalKinds,
  'Turns of conversation': generateErrorKinds,
  Providers: providerErrorKinds,
  Tools: toolErrorKinds,
  'MCP servers': mcpErrorKinds,
  Commands: commandErrorKinds,
  'Import and export': importErrorKinds,
  HTTP: Object.fromEntries(
    Object.entries(httpCodes).flatMap(([code, { kind }]) => (code.startsWith('http/') ? [[code, kind]] : [])),
  ),
};
