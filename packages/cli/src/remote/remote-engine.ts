/** The engine of a running server: replies, commands and models. */
import type { CoppiceClient, ModelView } from '@coppice/client';
import { AppError, ask, type NodeId, type RunContext, type Store, type TreeId } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import type { GenerateOptions, TurnEnd, TurnEvent, TurnStart } from '@coppice/engine';
import type { ChatEngine, EngineTurn, ModelSource } from '../chat-engine.ts';
import { toCliError } from '../exit-codes.ts';
import { postJson, translateServerErrors } from './remote-store.ts';

/** Opens the engine of a server and reads its models, commands and tools. */
export async function openRemoteEngine(
  client: CoppiceClient,
  store: Store,
  context: () => RunContext,
): Promise<ChatEngine> {
  const { api } = client;
  const [models, commands, tools] = await Promise.all([
    openRemoteModelSource(client),
    translateServerErrors(api.commands()),
    translateServerErrors(api.tools()),
  ]);
  return {
    store,
    models,
    generator: { generate: (start, options) => new RemoteTurn(client, store, start, options) },
    commands: {
      list: commands.items,
      run: (line, { treeId, activeNodeId = null, list = [] }) =>
        postJson(client, `/api/trees/${treeId}/commands`, { line, activeNodeId, list }),
      async complete(line, { treeId, activeNodeId = null }) {
        const { from, items } = await translateServerErrors(api.complete(treeId, line, activeNodeId));
        // The terminal shows only English texts.
        return { from, items: items.map(({ value, label, about }) => ({ value, label, about })) };
      },
    },
    tools: { list: () => tools.items.map(({ name, description = '' }) => ({ name, description })) },
    async merge({ treeId, nodeId, mode, summary, focus }) {
      const expectedVersion = await versionOf(store, treeId);
      const { result }: MergeReply = await postJson(client, `/api/trees/${treeId}/merge`, {
        nodeId,
        mode,
        summary,
        focus,
        expectedVersion,
      });
      return result;
    },
    // The server writes titles itself; a later read returns them.
    titled: async () => undefined,
    context,
  };
}

interface MergeReply {
  readonly result: Awaited<ReturnType<ChatEngine['merge']>>;
}

function versionOf(store: Store, treeId: TreeId): Promise<number> {
  return store.read(treeId, function* () {
    return (yield* ask('tree', {}))?.version ?? 0;
  });
}

/** Reads the models of a server. */
export async function openRemoteModelSource(client: CoppiceClient): Promise<ModelSource> {
  const { api } = client;
  let known = await translateServerErrors(api.models());
  const find = (id: string): ModelView => {
    const found = known.items.find((model) => model.id === id);
    if (found !== undefined) return found;
    throw new AppError({
      code: 'provider/unknown-model',
      kind: 'not-found',
      message: `The server has no model ${id}. coppice models lists them.`,
    });
  };
  return {
    list: () => known.items,
    async refresh() {
      await translateServerErrors(api.refreshModels());
      known = await translateServerErrors(api.models());
    },
    async defaultModel() {
      const chosen = known.default ?? known.items.find(({ ready }) => ready)?.id;
      if (chosen !== undefined) return chosen;
      throw new AppError({
        code: 'provider/no-model',
        kind: 'refused',
        message: 'The server has no model that is ready. Add a key on its page, under Settings, Models.',
      });
    },
    find: (id) => find(id).id,
    requireReady(id) {
      const { ready, missing, capabilities } = find(id);
      if (!ready)
        throw new AppError({
          code: 'provider/no-key',
          kind: 'refused',
          message: `${id} cannot answer: the server needs a key for it. ${missing ?? ''}`.trim(),
        });
      return { images: capabilities.images };
    },
  };
}

/** A turn that the server generates, with the same events as a local turn. */
class RemoteTurn implements EngineTurn {
  readonly actId: Promise<string>;
  readonly done: Promise<TurnEnd>;
  readonly #client: CoppiceClient;
  readonly #approve: GenerateOptions['approve'];
  #finish: (end: TurnEnd) => void = () => undefined;
  readonly #stop = new AbortController();

  constructor(client: CoppiceClient, store: Store, start: TurnStart, options: GenerateOptions) {
    this.#client = client;
    this.#approve = options.approve;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.actId = startRemoteTurn(client, store, start, options);
    // The events report the failure, and no caller may be waiting for the id.
    this.actId.catch(() => undefined);
    options.signal?.addEventListener('abort', () => this.abort(), { once: true });
  }

  async *events(): AsyncGenerator<TurnEvent> {
    let nodeIds: readonly NodeId[] = [];
    try {
      const act = await this.actId;
      for await (const event of this.#follow(act)) {
        if (event.type === 'approval') void this.#decide(act, event);
        yield event;
        if (event.type !== 'end' && event.type !== 'error') continue;
        ({ nodeIds } = event);
        return this.#finish(event);
      }
      throw new AppError({
        code: 'cli/server-unreachable',
        kind: 'unavailable',
        message: 'The connection to the server ended. The server continues the reply; read it with coppice show.',
      });
    } catch (thrown) {
      const { code, kind, message } = toCliError(thrown);
      const end: TurnEnd = { type: 'error', code, kind, message, retryable: false, nodeIds };
      yield end;
      this.#finish(end);
    }
  }

  abort(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    const { routes } = this.#client;
    this.actId.then(
      (act) => routes.POST('/api/generations/{act}/abort', { params: { path: { act } } }),
      () => undefined,
    );
  }

  async *#follow(act: string): AsyncGenerator<TurnEvent> {
    const queue: TurnEvent[] = [];
    let wake: () => void = () => undefined;
    let isOver = false;
    const stream = this.#client.openEvents(`/api/generations/${encodeURIComponent(act)}/events`, {
      event(_name, data) {
        if (isFieldMap(data) && typeof data['type'] === 'string') queue.push(data as TurnEvent);
        wake();
      },
      ended() {
        isOver = true;
        wake();
      },
    });
    try {
      for (;;) {
        const next = queue.shift();
        if (next !== undefined) yield next;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      stream.close();
    }
  }

  async #decide(act: string, event: Extract<TurnEvent, { type: 'approval' }>): Promise<void> {
    const { callId, name, description, parameters, hash } = event;
    const request = { name, description, parameters, hash, callId, signal: this.#stop.signal };
    const decided = await this.#approve?.(request);
    const approved = decided !== undefined && decided !== 'ask' && decided.approved;
    await this.#client.api.approve(act, callId, approved, false).catch(() => undefined);
  }
}

async function startRemoteTurn(
  client: CoppiceClient,
  store: Store,
  start: TurnStart,
  options: GenerateOptions,
): Promise<string> {
  const { treeId, type } = start;
  const { models, n, temperature, thinking, tools } = options;
  const where =
    type === 'send'
      ? {
          ...(start.parentId === undefined ? {} : { parentId: start.parentId }),
          messages: start.messages.map(({ message, id }) => ({ ...message, ...(id === undefined ? {} : { id }) })),
        }
      : type === 'reply'
        ? { parentId: start.parentId }
        : type === 'combine'
          ? { nodeIds: start.nodeIds, way: start.way }
          : { nodeId: start.nodeId };
  const { actId }: { readonly actId: string } = await postJson(client, `/api/trees/${treeId}/generations`, {
    type,
    ...where,
    models,
    n,
    temperature,
    thinking,
    tools,
    expectedVersion: await versionOf(store, treeId),
    onConflict: 'branch',
  });
  return actId;
}
