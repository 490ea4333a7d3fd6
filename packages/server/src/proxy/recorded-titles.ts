/**
 * Writes titles of recorded sessions with the model for titles and summaries, if the operator configured one, because
 * the user's first words are often a path or a greeting. The model is called once per session, after the first reply
 * with text.
 */
import { extractUserWords } from '@coppice/content';
import {
  ask,
  isAppError,
  isText,
  type Message,
  type Node,
  nodeId,
  type RunContext,
  run,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import { type Config, type Summarizer, titleActor } from '@coppice/engine';
import type { RecordedCall, Recorder } from './recorder.ts';

/** The services with which titles are written and stored. */
interface TitleServices {
  readonly config: Pick<Config, 'summaries' | 'cheapModel'>;
  readonly storeOf: (owner: string) => Store;
  readonly summarizer: Summarizer;
  readonly context: Omit<RunContext, 'actor'>;
  readonly onError: (error: unknown) => void;
}

// Marks sessions for which the model was called. The mark is set before the call, so that a crash does not repeat it.
const askedFormat = 'proxy-title-asked';
// How many sessions with a title to remember. The oldest are forgotten first.
const maxDone = 5_000;
// How many sessions may wait for a title. Further sessions keep the words of the user as title.
const maxWaiting = 100;

/** Writes titles in the background, one at a time. */
export class RecordedTitles {
  readonly #services: TitleServices;
  readonly #stopped = new AbortController();
  readonly #done = new Set<string>();
  readonly #waiting: RecordedCall[] = [];
  readonly #unlisten: () => void;
  #working: Promise<void> | null = null;

  constructor(recorder: Pick<Recorder, 'listen'>, services: TitleServices) {
    this.#services = services;
    this.#unlisten = recorder.listen((call) => this.#hear(call));
  }

  /** Resolves when no title is being written. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  async close(): Promise<void> {
    this.#unlisten();
    this.#stopped.abort();
    await this.idle();
  }

  #hear(call: RecordedCall): void {
    const { config } = this.#services;
    if ((config.summaries.model ?? config.cheapModel) === undefined) return;
    if (call.treeId === null || call.nodeId === null || call.status !== 200 || this.#done.has(call.treeId)) return;
    if (this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(call);
    this.#working ??= Promise.resolve().then(() => this.#work());
  }

  async #work(): Promise<void> {
    for (let call = this.#waiting.shift(); call !== undefined; call = this.#waiting.shift()) {
      if (this.#stopped.signal.aborted) break;
      try {
        await this.#title(call);
      } catch (error) {
        const isGone = isAppError(error) && error.kind === 'not-found';
        if (!isGone && !this.#stopped.signal.aborted) this.#services.onError(error);
      }
    }
    this.#working = null;
  }

  async #title({ owner, treeId: tree, nodeId: node }: RecordedCall): Promise<void> {
    if (tree === null || node === null || this.#done.has(tree)) return;
    const { storeOf, summarizer, context } = this.#services;
    const store = storeOf(owner);
    const id = treeId(tree);
    const messages = await readExchange(store, id, node);
    if (messages === 'later') return;
    this.#done.add(tree);
    for (const oldest of this.#done) {
      if (this.#done.size <= maxDone) break;
      this.#done.delete(oldest);
    }
    if (messages === null || (await store.findExternalIds(askedFormat, '', [tree])).length > 0) return;
    await store.putExternalIds([{ treeId: id, nodeId: null, format: askedFormat, scope: '', id: tree }]);
    const found = await summarizer.title({ messages, near: null, signal: this.#stopped.signal });
    // A title that was only extracted from the messages is not better than the words of the user.
    if (found === null || found.source['type'] === 'extract') return;
    const row = await store.read(id, () => ask('tree', {}));
    if (row === null || row.attributes.title !== undefined || row.attributes.trashedAt !== undefined) return;
    await run(
      store,
      { type: 'attributes', treeId: id, set: { autoTitle: found.text } },
      { ...context, actor: titleActor },
    );
  }
}

/**
 * Returns the first words of the user and the first reply with text. `later` if there is no reply yet. Null for a tree
 * that gets no title: the user named it, or it is a sub-agent or a tree of side calls, which have their own names.
 */
function readExchange(store: Store, id: TreeId, to: string): Promise<readonly Message[] | null | 'later'> {
  return store.read(id, function* () {
    const row = yield* ask('tree', {});
    if (row === null) return null;
    const { title, metadata } = row.attributes;
    if (title !== undefined || metadata?.['recorded'] === undefined) return null;
    if (metadata['spawnedBy'] !== undefined || metadata['sideOf'] !== undefined) return null;
    const { nodes } = yield* ask('path', { to: nodeId(to) });
    const firstQuestion = firstText(nodes, 'user', extractUserWords);
    const answered = firstText(nodes, 'assistant', (text) => text.trim());
    return firstQuestion === null || answered === null ? 'later' : [firstQuestion, answered];
  });
}

function firstText(nodes: readonly Node[], role: Message['role'], wordsOf: (text: string) => string): Message | null {
  for (const { message } of nodes) {
    if (message?.role !== role) continue;
    const content = message.content.flatMap((block) => {
      if (!isText(block)) return [];
      const text = wordsOf(block.text);
      return text === '' ? [] : [{ ...block, text }];
    });
    if (content.length > 0) return { role, content };
  }
  return null;
}
