/** The error codes of all parts of the server. Tests check each of them. */
import { importErrorKinds } from '@coppice/content/formats';
import { type ErrorKind, refusalKinds } from '@coppice/core';
import {
  commandErrorKinds,
  generateErrorKinds,
  keysErrorKinds,
  mcpErrorKinds,
  providerErrorKinds,
  toolErrorKinds,
} from '@coppice/engine';
import { httpErrorCodes } from '../http-errors.ts';

/** All codes and kinds, by the part that defines them. */
export const errorTables: Readonly<Record<string, Readonly<Record<string, ErrorKind>>>> = {
  'Trees, messages, stores': refusalKinds,
  'Turns of conversation': generateErrorKinds,
  Providers: providerErrorKinds,
  'Keys and connections': keysErrorKinds,
  Tools: toolErrorKinds,
  'MCP servers': mcpErrorKinds,
  Commands: commandErrorKinds,
  'Import and export': importErrorKinds,
  HTTP: Object.fromEntries(
    Object.entries(httpErrorCodes).flatMap(([code, { kind }]) => (code.startsWith('http/') ? [[code, kind]] : [])),
  ),
};
