/** Reads a model's context window from local OpenAI-compatible servers. */
import { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined } from '@coppice/content/wires';
import type { Json } from '@coppice/core';
import { bearerKeyHeader } from './chat-completions.ts';
import type { ListedModel, ProviderCall } from './contract.ts';
import { getJson } from './list-models.ts';

/** Removes the version segment from the base URL, because the server's other APIs are outside of it. */
function withoutVersion(call: ProviderCall): ProviderCall {
  const { connection } = call;
  return { ...call, connection: { ...connection, baseUrl: connection.baseUrl.replace(/\/v\d+\/*$/, '') } };
}

function modelIn(list: Json | undefined, model: string): Json | undefined {
  return listOrNone(list).find((each) => (getTextMember(each, 'id') ?? getTextMember(each, 'key')) === model);
}

/** Reads the window from the list of models, where vLLM and others include it. */
async function fromModels(model: string, call: ProviderCall): Promise<number | undefined> {
  const body = await getJson(call, { path: '/models', keyHeader: bearerKeyHeader });
  const found = modelIn(getMember(body, 'data'), model);
  return (
    getCountMember(found, 'max_model_len') ??
    getCountMember(found, 'max_context_length') ??
    getCountMember(found, 'context_length') ??
    getCountMember(found, 'context_window')
  );
}

/** Reads the window that llama.cpp was started with; it serves one model. */
async function fromProperties(call: ProviderCall): Promise<number | undefined> {
  const body = await getJson(withoutVersion(call), { path: '/props', keyHeader: bearerKeyHeader });
  return getCountMember(body, 'default_generation_settings', 'n_ctx') ?? getCountMember(body, 'n_ctx');
}

/** Reads the window that LM Studio loaded a model with, else the model's maximum. */
async function fromStudio(model: string, call: ProviderCall): Promise<number | undefined> {
  const body = await getJson(withoutVersion(call), { path: '/api/v0/models', keyHeader: bearerKeyHeader });
  const found = modelIn(getMember(body, 'data') ?? getMember(body, 'models'), model);
  const [loaded] = listOrNone(getMember(found, 'loaded_instances'));
  return (
    getCountMember(found, 'loaded_context_length') ??
    getCountMember(loaded, 'config', 'context_length') ??
    getCountMember(found, 'max_context_length')
  );
}

/** Asks a local server for the window of a model in every known way; null if none works. */
export async function describeLocalModel(model: string, call: ProviderCall): Promise<ListedModel | null> {
  const answers = await Promise.allSettled([fromProperties(call), fromStudio(model, call), fromModels(model, call)]);
  for (const answer of answers) {
    const window = answer.status === 'fulfilled' ? answer.value : undefined;
    // A server may report 0 for a model that is not loaded.
    if (window !== undefined && window > 0) return { id: model, window: Math.floor(window) };
  }
  return null;
}

/**
 * Returns the window in Ollama's model info, under the name of the architecture, for example `llama.context_length`.
 */
export function findOllamaContextWindow(shown: Json): number | undefined {
  const info = objectOrUndefined(getMember(shown, 'model_info'));
  const architecture = getTextMember(info, 'general.architecture');
  const named = architecture === undefined ? undefined : getCountMember(info, `${architecture}.context_length`);
  if (named !== undefined) return named;
  const [key] = Object.keys(info ?? {}).filter((name) => name.endsWith('.context_length'));
  return key === undefined ? undefined : getCountMember(info, key);
}
