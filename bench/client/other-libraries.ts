/**
 * Measures the in-memory trees of other libraries. The libraries are installed into a separate folder, and their
 * modules are imported by path, because neither exports its tree.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NodeId } from '@coppice/core';
import { repositoryRoot } from '../../scripts/tools.ts';
import { encodeServerSentEvent, type LibraryCandidate, type OpenedChat, streamFromChunks } from './candidate.ts';
import type { SampleTree } from './sample-tree.ts';

const versions = { '@assistant-ui/core': '0.3.20', '@ably/ai-transport': '0.8.0', ably: '2.23.0' };
const folder = join(repositoryRoot, '.tmp', 'bench-peers');

/** Installs the libraries, unless these versions are already installed. */
function installOtherLibraries(): void {
  const isThere = Object.entries(versions).every(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  });
  if (isThere) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const wanted = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--legacy-peer-deps'];
  execFileSync('npm', ['install', ...quiet, ...wanted, '--prefix', folder], { cwd: folder, stdio: 'ignore' });
}

function addressOf(...path: readonly string[]): string {
  return pathToFileURL(join(folder, 'node_modules', ...path)).href;
}

interface Row {
  readonly id: string;
  readonly parentId: string | null;
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Returns a function that parses the whole sample, because these libraries keep all branches in memory. */
function responseFor(sample: SampleTree): () => Promise<readonly Row[]> {
  const text = JSON.stringify(sample.messages);
  const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
  return async () => JSON.parse(await (await fetch()).text());
}

/** Reads a reply from an injected fetch, as an app of that library would. */
async function readReply(events: readonly Uint8Array[], take: (text: string) => void): Promise<void> {
  const { body } = new Response(streamFromChunks(events), { headers: { 'content-type': 'text/event-stream' } });
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    // Each chunk contains one event.
    const [, data = ''] = decoder.decode(next.value, { stream: true }).split('data: ');
    take(JSON.parse(data).text);
  }
}

const events = (pieces: readonly string[]) => pieces.map((text) => encodeServerSentEvent('delta', { text }));
const nothing = async () => undefined;

interface ThreadMessage {
  readonly id: string;
  readonly role: string;
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly createdAt: Date;
  readonly status?: { readonly type: string; readonly reason?: string };
  readonly metadata: object;
  readonly attachments?: readonly object[];
}

interface MessageRepository {
  readonly headId: string | null;
  import(exported: {
    readonly headId: string;
    readonly messages: readonly { readonly parentId: string | null; readonly message: ThreadMessage }[];
  }): void;
  getMessages(): readonly ThreadMessage[];
  addOrUpdateMessage(parentId: string | null, message: ThreadMessage): void;
  switchToBranch(id: string): void;
}

const createdAt = new Date(0);

function toThreadMessage({ id, role, text }: Omit<Row, 'parentId'>): ThreadMessage {
  const content = [{ type: 'text' as const, text }];
  const metadata = { custom: {} };
  return role === 'user'
    ? { id, role, content, createdAt, attachments: [], metadata }
    : { id, role, content, createdAt, status: { type: 'complete', reason: 'stop' }, metadata };
}

/** Opens the message repository of assistant-ui's runtimes. */
async function openAssistantUi(sample: SampleTree): Promise<LibraryCandidate> {
  const { MessageRepository: Repository }: { readonly MessageRepository: new () => MessageRepository } = await import(
    addressOf('@assistant-ui/core', 'dist/runtime/utils/message-repository.js')
  );
  const read = responseFor(sample);
  return {
    name: 'assistant-ui',
    events,
    async open() {
      const repository = new Repository();
      const rows = await read();
      repository.import({
        headId: sample.ends[0] ?? '',
        messages: rows.map(({ parentId, ...row }) => ({ parentId, message: toThreadMessage(row) })),
      });
      let replies = 0;
      const chat: OpenedChat = {
        texts: () => repository.getMessages().map(({ content }) => content[0]?.text ?? ''),
        show(variant, drawn) {
          repository.switchToBranch(variant);
          drawn();
        },
        append(id, text, drawn) {
          repository.addOrUpdateMessage(repository.headId, toThreadMessage({ id, role: 'user', text }));
          drawn();
        },
        async stream(bytes) {
          const id = `reply ${++replies}`;
          const parentId = repository.headId;
          let text = '';
          await readReply(bytes, (piece) => {
            text += piece;
            repository.addOrUpdateMessage(parentId, toThreadMessage({ id, role: 'assistant', text }));
            // The page draws from a new list after each piece.
            repository.getMessages();
          });
        },
        settle: nothing,
        close: () => undefined,
      };
      return chat;
    },
    close: nothing,
  };
}

interface AblyTree {
  applyMessage(
    events: { readonly inputs: readonly unknown[]; readonly outputs: readonly object[] },
    headers: Readonly<Record<string, string>>,
    serial: string,
    timestamp: number,
    version?: string,
  ): void;
  applyRunLifecycle(event: object): void;
}

interface AblyView {
  getMessages(): readonly { readonly message: { readonly parts: readonly { readonly text?: string }[] } }[];
  branchSelection(id: string): {
    readonly siblings: readonly unknown[];
    readonly index: number;
    select(index: number): void;
  };
  on(name: 'update', listener: () => void): unknown;
  close(): void;
}

interface AblyModules {
  readonly createTree: (codec: unknown, logger: object) => AblyTree;
  readonly createClientView: (options: object) => AblyView;
  readonly createUIMessageCodec: () => { createUserMessage(message: object): unknown };
}

const silent = () => undefined;
const logger: object = {
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  withContext: () => logger,
};

/** Opens the tree and the view of a client session of `@ably/ai-transport`, with its codec for the AI SDK. */
async function openAbly(sample: SampleTree): Promise<LibraryCandidate> {
  const source = (path: string) => addressOf('@ably/ai-transport', 'src', path);
  const { createTree }: AblyModules = await import(source('core/transport/tree.ts'));
  const { createClientView }: AblyModules = await import(source('core/transport/view.ts'));
  const { createUIMessageCodec }: AblyModules = await import(source('vercel/codec/index.ts'));
  const codec = createUIMessageCodec();
  const read = responseFor(sample);
  const places = new Map<string, number>(sample.variants.map((id, index) => [id, index]));
  return {
    name: '@ably/ai-transport',
    events,
    async open() {
      const rows = await read();
      const tree = createTree(codec, logger);
      let count = 0;
      const serial = () => String(++count).padStart(12, '0');
      const ask = (id: string, parent: string | null, text: string) =>
        tree.applyMessage(
          { inputs: [codec.createUserMessage({ id, role: 'user', parts: [{ type: 'text', text }] })], outputs: [] },
          { role: 'user', 'codec-message-id': id, ...(parent === null ? {} : { parent }) },
          serial(),
          count,
        );
      const begin = (id: string, parent: string) =>
        tree.applyRunLifecycle({
          type: 'start',
          runId: `run ${id}`,
          parent,
          serial: serial(),
          clientId: 'model',
          timestamp: count,
        });
      const headers = (id: string, parent: string) => ({
        'run-id': `run ${id}`,
        'codec-message-id': id,
        parent,
        role: 'assistant',
        stream: 'true',
      });
      for (const { id, parentId, role, text } of rows) {
        if (role === 'user' || parentId === null) {
          ask(id, parentId, text);
          continue;
        }
        begin(id, parentId);
        const outputs = [
          { type: 'start', messageId: id },
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: text },
          { type: 'text-end', id: 't' },
          { type: 'finish' },
        ];
        tree.applyMessage({ inputs: [], outputs }, headers(id, parentId), serial(), count);
        tree.applyRunLifecycle({
          type: 'end',
          runId: `run ${id}`,
          reason: 'complete',
          serial: serial(),
          clientId: 'model',
          timestamp: count,
        });
      }
      const hydrator = { hasNext: () => false, foldUntil: async () => ({ exhausted: true }) };
      const view = createClientView({ tree, codec, hydrator, sendDelegate: nothing, logger });
      const [first] = sample.variants;
      let end: string = sample.ends[0] ?? '';
      const show = (variant: NodeId) => {
        view.branchSelection(variant).select(places.get(variant) ?? 0);
        end = sample.ends[places.get(variant) ?? 0] ?? end;
      };
      if (first !== undefined) show(first);
      let replies = 0;
      const chat: OpenedChat = {
        texts: () =>
          view.getMessages().map(({ message }) => message.parts.find(({ text }) => text !== undefined)?.text ?? ''),
        show(variant, drawn) {
          show(variant);
          drawn();
        },
        append(id, text, drawn) {
          ask(id, end, text);
          end = id;
          drawn();
        },
        async stream(bytes) {
          const id = `reply ${++replies}`;
          const parent = end;
          begin(id, parent);
          const own = serial();
          let version = 0;
          const apply = (...outputs: readonly object[]) =>
            tree.applyMessage(
              { inputs: [], outputs },
              headers(id, parent),
              own,
              count,
              String(++version).padStart(12, '0'),
            );
          apply({ type: 'start', messageId: id }, { type: 'text-start', id: 't' });
          const stop = view.on('update', () => view.getMessages());
          await readReply(bytes, (delta) => apply({ type: 'text-delta', id: 't', delta }));
          apply({ type: 'text-end', id: 't' }, { type: 'finish' });
          if (typeof stop === 'function') stop();
        },
        settle: nothing,
        close: () => view.close(),
      };
      return chat;
    },
    close: nothing,
  };
}

/** Installs the other libraries if necessary, and opens the sample in each. */
export async function openOtherLibraries(sample: SampleTree): Promise<readonly LibraryCandidate[]> {
  installOtherLibraries();
  return [await openAssistantUi(sample), await openAbly(sample)];
}
