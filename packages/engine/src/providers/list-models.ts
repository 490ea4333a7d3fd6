/** Asks a server which models it has. */
import { countMember, jsonListOf, memberAt, textMember } from '@coppice/content/wires';
import type { Json } from '@coppice/core';
import { defaultLimits } from '../http/contract.ts';
import { type KeyHeader, sendRequest } from '../http/request.ts';
import { startRequestTimers } from '../http/request-timers.ts';
import type { ListedModel, ProviderCall } from './contract.ts';
import { errorEvent, ProviderFailure } from './errors.ts';

/** Where a list of models stands. */
export interface ModelList {
  readonly path: string;
  /** Sent by POST where there is one. */
  readonly body?: object;
  readonly keyHeader: KeyHeader;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A menu is waiting; a server that takes longer has nothing to offer this time. */
const patienceMs = 5000;

/** The JSON under a path. Rejects with a `ProviderFailure` when the server is not there, too slow, or refuses. */
export async function getJson(call: ProviderCall, list: ModelList): Promise<Json> {
  const limits = { ...defaultLimits, ...call.limits };
  const watch = startRequestTimers(call.signal);
  try {
    const wait = Math.min(patienceMs, limits.firstByteMs);
    watch.timer(
      wait,
      () => new ProviderFailure(errorEvent('provider/timeout', `No list of models within ${wait} ms.`)),
    );
    const { body: asked, ...rest } = list;
    const request = {
      method: asked === undefined ? 'GET' : 'POST',
      accept: 'application/json',
      ...rest,
      ...(asked === undefined ? {} : { body: JSON.stringify(asked) }),
    } as const;
    const answer = await sendRequest(call.connection, request, limits, watch);
    const text = await answer.text();
    if (answer.status !== 200)
      throw new ProviderFailure(errorEvent('provider/failed', `The list of models was refused with ${answer.status}.`));
    const body: Json = JSON.parse(text);
    return body;
  } finally {
    watch.close();
  }
}

/** The models under `data`, where OpenAI, Anthropic and most others list them. */
export async function listModelIds(call: ProviderCall, list: ModelList): Promise<readonly ListedModel[]> {
  const body = await getJson(call, list);
  const models: ListedModel[] = [];
  for (const each of jsonListOf(memberAt(body, 'data'))) {
    const id = textMember(each, 'id');
    if (id === undefined) continue;
    const label = textMember(each, 'display_name') ?? textMember(each, 'name');
    const window =
      countMember(each, 'context_length') ??
      countMember(each, 'max_input_tokens') ??
      countMember(each, 'max_model_len');
    const maxOut = countMember(each, 'top_provider', 'max_completion_tokens') ?? countMember(each, 'max_tokens');
    models.push({
      id,
      ...(label === undefined ? {} : { label }),
      ...(window === undefined ? {} : { window }),
      ...(maxOut === undefined ? {} : { maxOut }),
    });
  }
  return models;
}
