/** Requests JSON from a provider's server, such as its list of models. */
import { getCountMember, getMember, getTextMember, listOrNone } from '@coppice/content/wires';
import type { Json } from '@coppice/core';
import { defaultHttpLimits } from '../http/contract.ts';
import { makeStatusFailure } from '../http/failures.ts';
import { type KeyHeader, sendRequest } from '../http/request.ts';
import { startRequestTimers } from '../http/request-timers.ts';
import type { ListedModel, ProviderCall } from './contract.ts';
import { makeErrorEvent, ProviderFailure } from './errors.ts';

/** A request for JSON from a provider's server, for example for its list of models. */
export interface JsonRequest {
  readonly path: string;
  /** The body of a POST request; without it the request is a GET. */
  readonly body?: object;
  readonly keyHeader: KeyHeader;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The time limit in milliseconds. A menu waits for the list, so a slower server is skipped. */
const listTimeoutMs = 5000;

/**
 * Requests JSON from a path. Rejects with a `ProviderFailure` if the server is unreachable, too slow, or returns an
 * error.
 */
export async function getJson(call: ProviderCall, wanted: JsonRequest): Promise<Json> {
  const limits = { ...defaultHttpLimits, ...call.limits };
  const watch = startRequestTimers(call.signal);
  try {
    const wait = Math.min(listTimeoutMs, limits.firstByteMs);
    watch.timer(
      wait,
      () => new ProviderFailure(makeErrorEvent('provider/timeout', `No list of models within ${wait} ms.`)),
    );
    const { body: asked, ...rest } = wanted;
    const request = {
      method: asked === undefined ? 'GET' : 'POST',
      accept: 'application/json',
      ...rest,
      ...(asked === undefined ? {} : { body: JSON.stringify(asked) }),
    } as const;
    const answer = await sendRequest(call.connection, request, limits, watch);
    const text = await answer.text();
    const { status, headers, mediaType } = answer;
    const { host } = new URL(call.connection.baseUrl);
    if (status !== 200)
      throw makeStatusFailure({ host, status, headers, mediaType, body: text.slice(0, 2048), now: 0 });
    try {
      const body: Json = JSON.parse(text);
      return body;
    } catch (cause) {
      const message = `${host} answers, but not with a list of models. Check the address; most end with /v1.`;
      throw new ProviderFailure(makeErrorEvent('provider/bad-response', message), cause);
    }
  } finally {
    watch.close();
  }
}

// Matches the names of models that do not chat. OpenAI and local servers list such models without saying what they are
// for.
const otherTask =
  /(?:^|[-_/.:])(?:embed|embeds|embedding|embeddings|whisper|tts|dall-e|moderation|rerank|reranker|transcribe|sora|realtime)(?:$|[-_/.:@\d])/i;

/** Whether a model is for chats, judged by its name. */
export function isChatModel(id: string): boolean {
  return !otherTask.test(id);
}

/** Returns the models for chats in the field `data`, which OpenAI, Anthropic and most others use. */
export async function listServerModels(call: ProviderCall, list: JsonRequest): Promise<readonly ListedModel[]> {
  const body = await getJson(call, list);
  const models: ListedModel[] = [];
  for (const each of listOrNone(getMember(body, 'data'))) {
    const id = getTextMember(each, 'id');
    if (id === undefined || !isChatModel(id)) continue;
    const label = getTextMember(each, 'display_name') ?? getTextMember(each, 'name');
    const window =
      getCountMember(each, 'context_length') ??
      getCountMember(each, 'max_input_tokens') ??
      getCountMember(each, 'max_model_len');
    const maxOut = getCountMember(each, 'top_provider', 'max_completion_tokens') ?? getCountMember(each, 'max_tokens');
    models.push({
      id,
      ...(label === undefined ? {} : { label }),
      ...(window === undefined ? {} : { window }),
      ...(maxOut === undefined ? {} : { maxOut }),
    });
  }
  return models;
}
