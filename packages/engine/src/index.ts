/** The public names of engine, in reading order. */

// Providers: what they are asked and what they answer.
export { Secret } from './config/secret.ts';
export { type Connection, defaultLimits as defaultHttpLimits, type HttpLimits } from './http/contract.ts';
export { redact } from './http/redact.ts';
export { systemClock } from './providers/clock.ts';
export * from './providers/contract.ts';
export { defineProvider } from './providers/define.ts';
export { abortedEvent, errorEvent, errorFrom } from './providers/errors.ts';
export { collectReply, foldReply, type ProvedThinking, type Reply, type ReplyFold } from './providers/fold.ts';
export { isMalformed, type MalformedToolUse, parseToolArguments } from './providers/tool-arguments.ts';
