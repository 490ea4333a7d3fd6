/** Runs one call of a tool: validates it, asks for approval, applies the limits, and always returns a result. */
import { type Block, isAppError, isText, type Json, type JsonObject, type TextBlock } from '@coppice/core';
import { hideSecrets } from '../config/secret.ts';
import { hashToolCall } from './approval.ts';
import { limitResultBlocks, ToolResultContent } from './content.ts';
import type {
  ApprovalDecision,
  ApprovalRequest,
  Approve,
  Tool,
  ToolCall,
  ToolCallOptions,
  ToolErrorCode,
  ToolResult,
} from './contract.ts';
import { toolErrorKinds } from './contract.ts';
import { makeToolError } from './errors.ts';
import { formatToolResult, truncateToBytes } from './result-text.ts';
import { approvalFromRules, type ToolRules } from './rules.ts';
import type { SchemaCheck } from './schema.ts';

/** How long a call may run, and how large its result may be. */
export interface ToolLimits {
  /** In milliseconds. */
  readonly timeoutMs: number;
  /** The largest total text of a result. */
  readonly resultBytes: number;
  /** The largest total size of images and attachments in a result, as stored. */
  readonly mediaBytes: number;
}

/** One minute, one megabyte of text, and five of images and attachments. */
export const defaultToolLimits: ToolLimits = {
  timeoutMs: 60_000,
  resultBytes: 1024 * 1024,
  mediaBytes: 5 * 1024 * 1024,
};

/** A tool with its compiled schema, so that each call is validated without compiling. */
export interface CompiledTool {
  readonly tool: Tool;
  readonly check: SchemaCheck;
}

/** The part of the registry that calls use. */
export interface ToolRunner {
  readonly limits: ToolLimits;
  readonly rules: ToolRules;
  readonly now: () => number;
  find(name: string): CompiledTool | undefined;
  names(): readonly string[];
}

/** Runs a call. Never throws or rejects: an error becomes the result. */
export async function runToolCall(runner: ToolRunner, call: ToolCall, options: ToolCallOptions): Promise<ToolResult> {
  const start = runner.now();
  const origin = runner.find(call.name)?.tool.origin;
  const answered = (content: readonly Block[], truncated: boolean, error: ToolErrorCode | null): ToolResult => ({
    callId: call.id,
    name: call.name,
    ...(origin === undefined ? {} : { origin }),
    message: { role: 'tool', tool_call_id: call.id, content },
    error,
    truncated,
    elapsedMs: Math.max(0, runner.now() - start),
  });
  const textResult = (text: string, error: ToolErrorCode | null): ToolResult => {
    // Secrets are hidden before the text is cut, so that no part of a secret remains.
    const within = truncateToBytes(hideSecrets(text), runner.limits.resultBytes);
    const block: TextBlock = { type: 'text', text: within.text };
    return answered([block], within.truncated, error);
  };
  try {
    const result = await runTool(runner, call, options);
    if (!(result instanceof ToolResultContent)) return textResult(formatToolResult(result), null);
    const { blocks, truncated } = limitResultBlocks(withoutSecrets(result), runner.limits);
    return answered(blocks, truncated, result.isError ? 'tool/failed' : null);
  } catch (error) {
    const { code, message } = toolFailure(call.name, error);
    return textResult(`Error (${code}): ${message}`, code);
  }
}

/** Hides secrets in a result. A tool may read one of our keys, which must not get into a conversation. */
function withoutSecrets({ blocks, isError }: ToolResultContent): ToolResultContent {
  const hidden = blocks.map((block): Block => {
    if (!isText(block)) return block;
    const text: TextBlock = { ...block, text: hideSecrets(block.text) };
    return text;
  });
  return new ToolResultContent(hidden, isError);
}

function toolFailure(name: string, error: unknown): { readonly code: ToolErrorCode; readonly message: string } {
  if (isAppError(error) && isToolCode(error.code)) return { code: error.code, message: error.message };
  const reason = error instanceof Error ? error.message : typeof error === 'string' ? error : '';
  return { code: 'tool/failed', message: `The tool ${name} failed${reason === '' ? '.' : `: ${reason}`}` };
}

function isToolCode(code: string): code is ToolErrorCode {
  return Object.hasOwn(toolErrorKinds, code);
}

/** What a tool returns; an untyped one may return undefined. */
type ToolCallOutput = Json | ToolResultContent | undefined;

async function runTool(runner: ToolRunner, call: ToolCall, options: ToolCallOptions): Promise<ToolCallOutput> {
  const { name } = call;
  const allowed = options.active === undefined || options.active.includes(name);
  const ready = allowed ? runner.find(name) : undefined;
  if (ready === undefined) throw unknownTool(name, options.active ?? runner.names());
  if (runner.rules.deny.includes(name))
    throw makeToolError('tool/not-approved', `The operator does not allow the tool ${name}.`, { name });
  if (call.malformed !== undefined)
    throw makeToolError('tool/bad-arguments', `The arguments of ${name} cannot be read: ${call.malformed}`, { name });
  // The arguments are copied, so that the tool gets exactly what was validated and approved.
  const parameters: JsonObject = structuredClone(call.parameters);
  const wrong = ready.check(parameters);
  if (wrong !== undefined) throw makeToolError('tool/bad-arguments', `The arguments of ${name} ${wrong}.`, { name });
  if (options.signal?.aborted === true) throw abortedTool(name);
  if (ready.tool.sideEffects)
    await askForApproval(ready.tool, call.id, parameters, {
      ...options,
      approve: approvalFromRules(runner.rules, options.approve),
    });
  options.onStart?.();
  return await runWithinTimeLimit(runner, ready.tool, parameters, options);
}

function unknownTool(name: string, names: readonly string[]): Error {
  const shown = JSON.stringify(name.slice(0, 80));
  const others = names.length === 0 ? 'There are none.' : `There are: ${names.slice(0, 50).join(', ')}.`;
  return makeToolError('tool/unknown', `There is no tool ${shown}. ${others}`, { name });
}

function abortedTool(name: string): Error {
  return makeToolError('tool/aborted', `The call of ${name} was stopped.`, { name });
}

async function askForApproval(
  tool: Tool,
  callId: string,
  parameters: JsonObject,
  options: ToolCallOptions,
): Promise<void> {
  const { name, description, origin } = tool;
  const hash = hashToolCall(name, parameters);
  const data = { name, hash };
  if (options.approve === undefined)
    throw makeToolError(
      'tool/not-approved',
      `The tool ${name} has side effects, and the caller passed no function to approve the call.`,
      data,
    );
  const signal = options.signal ?? new AbortController().signal;
  const shown = { name, description, ...(origin === undefined ? {} : { origin }) };
  const request = { ...shown, callId, parameters: structuredClone(parameters), hash, signal };
  const decision = await unlessToolAborted(name, signal, decideApproval(options.approve, request));
  if (!decision.approved)
    throw makeToolError(
      'tool/not-approved',
      `The call of ${name} was not approved${decision.reason === undefined ? '' : `: ${decision.reason}`}.`,
      data,
    );
  if (decision.hash !== hash)
    throw makeToolError('tool/not-approved', `The approval for ${name} was for other arguments.`, data);
}

/** Asks for approval. If the approval function throws, the call is not approved. */
async function decideApproval(approve: Approve, request: ApprovalRequest): Promise<ApprovalDecision> {
  try {
    // An untyped function may return undefined.
    return (await approve(request)) ?? { approved: false };
  } catch (error) {
    return { approved: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function unlessToolAborted<T>(name: string, signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = (): void => undefined;
  const ending = new Promise<never>((_, reject) => {
    stop = () => reject(abortedTool(name));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, ending]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Runs a tool until it returns, is aborted, or reaches its time limit. A later result is ignored. */
async function runWithinTimeLimit(
  runner: ToolRunner,
  tool: Tool,
  parameters: JsonObject,
  options: ToolCallOptions,
): Promise<ToolCallOutput> {
  const { name } = tool;
  const limit = tool.timeoutMs ?? runner.limits.timeoutMs;
  const control = new AbortController();
  const late = makeToolError('tool/timeout', `The tool ${name} took longer than ${limit} ms.`, { name, limit });
  let stop = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  const ending = new Promise<never>((_, reject) => {
    const end = (error: Error) => {
      // Rejects before it aborts the signal, because an error that the tool throws on abort must not replace this
      // error.
      reject(error);
      control.abort(error);
    };
    timer = setTimeout(() => end(late), limit);
    stop = () => end(abortedTool(name));
    if (options.signal?.aborted === true) stop();
    else options.signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    const scope = { signal: control.signal, now: runner.now, place: options.place };
    return await Promise.race([Promise.resolve().then(() => tool.run(parameters, scope)), ending]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', stop);
  }
}
