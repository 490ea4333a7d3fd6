/** Adapts a request to the limits of a provider and reports each change. */
import type { Json } from '@coppice/core';
import type { NumberRange, ParameterLimits, ProviderNotice, ProviderRequest, ProviderSupport } from './contract.ts';

/**
 * Limits all parameters of a request to the provider's ranges and removes unsupported ones. They are not refused,
 * because several models may answer one request and the limit of one must not fail the whole turn.
 */
export function clampParameters(
  request: ProviderRequest,
  limits: ParameterLimits,
  supports: ProviderSupport,
  tell: (notice: ProviderNotice) => void,
): ProviderRequest {
  const changed = (name: string, asked: Json, sent?: Json) => {
    tell({ type: 'parameter-changed', name, asked, ...(sent === undefined ? {} : { sent }) });
  };
  const number = (name: string, asked: number | undefined, range: NumberRange | undefined): number | undefined => {
    if (asked === undefined) return undefined;
    if (range === undefined || Number.isNaN(asked)) {
      changed(name, Number.isFinite(asked) ? asked : String(asked));
      return undefined;
    }
    const sent = Math.min(range.max, Math.max(range.min, asked));
    if (sent !== asked) changed(name, Number.isFinite(asked) ? asked : String(asked), sent);
    return sent;
  };
  const tools = request.tools === undefined || request.tools.length === 0 ? undefined : request.tools;
  if (tools !== undefined && !supports.tools)
    changed(
      'tools',
      tools.map((tool) => tool.name),
    );
  const offered = supports.tools ? tools : undefined;
  // Providers reject a tool choice in a request without tools.
  const choice = offered === undefined || !supports.toolChoice ? undefined : request.toolChoice;
  if (offered !== undefined && choice === undefined && request.toolChoice !== undefined)
    changed('toolChoice', typeof request.toolChoice === 'string' ? request.toolChoice : request.toolChoice.name);
  if (request.thinking !== undefined && !supports.thinking) changed('thinking', request.thinking.effort);
  return {
    model: request.model,
    systemPrompt: request.systemPrompt === '' ? undefined : request.systemPrompt,
    messages: request.messages,
    tools: offered,
    toolChoice: choice,
    maxTokens: wholeTokens(request.maxTokens, limits.maxTokens, changed),
    temperature: number('temperature', request.temperature, limits.temperature),
    topP: number('topP', request.topP, limits.topP),
    stop: clampStops(request.stop, limits.stop?.most ?? 0, changed),
    seed: number('seed', request.seed, limits.seed),
    thinking: supports.thinking ? request.thinking : undefined,
  };
}

type ClampNotice = (name: string, asked: Json, sent?: Json) => void;

function wholeTokens(
  asked: number | undefined,
  range: NumberRange | undefined,
  changed: ClampNotice,
): number | undefined {
  if (asked === undefined) return undefined;
  const whole = Number.isNaN(asked) ? 1 : Math.max(1, Math.floor(Math.min(asked, Number.MAX_SAFE_INTEGER)));
  const sent = range === undefined ? whole : Math.min(range.max, Math.max(range.min, whole));
  if (sent !== whole) changed('maxTokens', whole, sent);
  return sent;
}

function clampStops(
  stop: readonly string[] | undefined,
  most: number,
  changed: ClampNotice,
): readonly string[] | undefined {
  const asked = stop?.filter((text) => text !== '') ?? [];
  if (asked.length === 0) return undefined;
  const sent = asked.slice(0, most);
  if (sent.length < asked.length) changed('stop', asked, sent.length === 0 ? undefined : sent);
  return sent.length === 0 ? undefined : sent;
}
