/** A writer that retries with any server until the outcome of each write is known. */
import { newId } from '@coppice/engine';
import type { ServerFleet } from './fleet.ts';

/** A write that a server has acknowledged. */
export interface AcknowledgedWrite {
  readonly treeId: string;
  readonly version: number;
  readonly actId: string;
  /**
   * False for the response to a retry whose write already existed, and for that of a turn: its version is not the
   * commit's.
   */
  readonly sure: boolean;
}

/** One conversation, to which all writers write. */
export interface SharedTree {
  readonly id: string;
  readonly rootId: string;
  version: number;
  /** Acknowledged nodes without a known delete, newest last. */
  readonly nodes: string[];
}

/** The acknowledged writes, stored outside of the servers. */
export class TortureWriterRecord {
  /** Texts of acknowledged nodes, by conversation and node. */
  readonly said = new Map<string, { readonly treeId: string; readonly text: string }>();
  readonly acks: AcknowledgedWrite[] = [];
  readonly byKind = new Map<string, number>();
  conflicts = 0;
  refused = 0;
  unavailable = 0;
  lostConnections = 0;
  /** The first response that violates the contract. */
  wrong: string | null = null;
}

interface Answer {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface TortureWriterOptions {
  readonly fleet: ServerFleet;
  readonly token: string;
  readonly conversations: readonly SharedTree[];
  readonly record: TortureWriterRecord;
  readonly random: () => number;
  readonly name: string;
  over(): boolean;
}

/** The mix of writes, in percent. */
const mix = [
  ['append', 70],
  ['edit', 10],
  ['splice', 8],
  ['cascade', 4],
  ['move', 4],
  ['regenerate', 4],
] as const;

type Kind = (typeof mix)[number][0];

function pickKind(random: () => number): Kind {
  let at = random() * 100;
  for (const [kind, share] of mix) {
    at -= share;
    if (at < 0) return kind;
  }
  return 'append';
}

export class TortureWriter {
  readonly #options: TortureWriterOptions;
  #count = 0;

  constructor(options: TortureWriterOptions) {
    this.#options = options;
  }

  /** Writes until the run is over. */
  async run(): Promise<void> {
    const { conversations, random, record } = this.#options;
    while (!this.#options.over() && record.wrong === null) {
      const conversation = conversations[Math.floor(random() * conversations.length)];
      if (conversation !== undefined) await this.#write(conversation, pickKind(random));
    }
  }

  /** Returns a recent node as the target of a write, because most older nodes were deleted. */
  #node(conversation: SharedTree): string | undefined {
    const { nodes } = conversation;
    return nodes[nodes.length - 1 - Math.floor(this.#options.random() * Math.min(40, nodes.length))];
  }

  async #write(conversation: SharedTree, kind: Kind): Promise<void> {
    const node = this.#node(conversation);
    const at = `/api/trees/${conversation.id}`;
    const text = `${this.#options.name} ${this.#count++}`;
    if (kind === 'append' || node === undefined) return this.#append(conversation, node ?? conversation.rootId, text);
    if (kind === 'edit') {
      const id = newId();
      const body = { content: text, id };
      await this.#settle(
        conversation,
        kind,
        'POST',
        `${at}/nodes/${node}/edit?onConflict=branch`,
        body,
        { id, text },
        node,
      );
    } else if (kind === 'splice' || kind === 'cascade')
      await this.#settle(conversation, kind, 'DELETE', `${at}/nodes/${node}?mode=${kind}`, undefined, null, node);
    else if (kind === 'move') {
      const body = { parentId: this.#node(conversation) ?? conversation.rootId };
      await this.#settle(conversation, kind, 'POST', `${at}/nodes/${node}/move`, body, null, node);
    } else {
      const body = {
        type: 'regenerate',
        nodeId: node,
        requestId: newId(),
        models: ['offline/babble'],
        maxTokens: 20,
        select: false,
      };
      await this.#settle(conversation, kind, 'POST', `${at}/generations`, body, null, node);
    }
  }

  async #append(conversation: SharedTree, parentId: string, text: string): Promise<void> {
    const id = newId();
    const body = { parentId, messages: [{ id, role: 'user', content: text }], merge: false, select: false };
    const path = `/api/trees/${conversation.id}/messages?onConflict=branch`;
    await this.#settle(conversation, 'append', 'POST', path, body, { id, text }, parentId);
  }

  /** Retries until the write is acknowledged or refused. A retry is safe because the write has an id. */
  async #settle(
    conversation: SharedTree,
    kind: Kind,
    method: string,
    path: string,
    body: object | undefined,
    made: { readonly id: string; readonly text: string } | null,
    on: string,
  ): Promise<void> {
    const { record } = this.#options;
    for (let tries = 0, unknown = false; tries < 400 && record.wrong === null; tries++) {
      const answer = await this.#ask(method, path, body, conversation.version);
      if (answer === null) {
        record.lostConnections++;
        unknown = true;
        await sleep(50);
      } else if (answer.status === 503) {
        // The store or the server was stopping, so it is unknown whether the write was stored.
        record.unavailable++;
        unknown = true;
        await sleep(50);
      } else if (answer.status < 300) return this.#acknowledged(conversation, kind, answer, made, on);
      else if (answer.status === 409 && answer.body.error.code === 'tree/version-conflict') {
        record.conflicts++;
        conversation.version = Math.max(conversation.version, answer.body.error.data.version);
      } else if ([404, 409, 422].includes(answer.status)) {
        // Another writer was faster, or the response to an earlier try of this writer was lost.
        record.refused++;
        if (answer.status === 404 || unknown) forget(conversation, on);
        return;
      } else {
        record.wrong ??= `${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 500)}`;
        return;
      }
    }
  }

  #acknowledged(
    conversation: SharedTree,
    kind: Kind,
    { body }: Answer,
    made: { readonly id: string; readonly text: string } | null,
    on: string,
  ): void {
    const { record } = this.#options;
    record.byKind.set(kind, (record.byKind.get(kind) ?? 0) + 1);
    const changed = kind !== 'regenerate' && body.nodes.length + (body.result.removed?.length ?? 0) > 0;
    // An edit without a change and a retry are acknowledged without a commit.
    const sure = changed && (made === null || body.result.added.length > 0);
    record.acks.push({ treeId: conversation.id, version: body.version, actId: body.actId, sure });
    conversation.version = Math.max(conversation.version, body.version);
    if (made !== null) {
      record.said.set(made.id, { treeId: conversation.id, text: made.text });
      conversation.nodes.push(made.id);
      if (conversation.nodes.length > 400) conversation.nodes.splice(0, 100);
    }
    if (kind === 'splice' || kind === 'cascade') forget(conversation, on);
  }

  async #ask(method: string, path: string, body: object | undefined, version: number): Promise<Answer | null> {
    const { fleet, token, random } = this.#options;
    const addresses = fleet.addresses();
    const address = addresses[Math.floor(random() * addresses.length)];
    if (address === undefined) return null;
    try {
      const response = await fetch(`${address}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'if-match': `"${version}"`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return null;
    }
  }
}

function forget(conversation: SharedTree, node: string): void {
  const at = conversation.nodes.indexOf(node);
  if (at !== -1) conversation.nodes.splice(at, 1);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
