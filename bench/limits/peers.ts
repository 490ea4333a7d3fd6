/**
 * Measures the same workloads with the trees of other programs, which hold a whole conversation in memory: the session
 * manager of the terminal agent pi, and the message repository of assistant-ui. Neither makes an append durable.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PiSessionManager } from '@coppice/stores/testing/pi-package';
import { repositoryRoot } from '../../scripts/tools.ts';
import { makeExportText } from '../formats/exports.ts';
import { measureAlternating, measureRetainedBytes, preventOptimisation } from '../measure.ts';
import { benchBranchDepth, makeParsedBenchMessage } from '../stores/bench-tree.ts';

/** A time in microseconds, or a size in bytes, of another program. The work has the title of Coppice's row. */
export interface PeerMeasurement {
  readonly work: string;
  readonly by: 'pi' | 'assistant-ui';
  readonly value: number;
}

interface ThreadMessage {
  readonly id: string;
  readonly role: string;
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly createdAt: Date;
  readonly metadata: object;
}

interface ThreadItem {
  readonly parentId: string | null;
  readonly message: ThreadMessage;
}

interface MessageRepository {
  readonly headId: string | null;
  import(exported: { readonly headId: string; readonly messages: readonly ThreadItem[] }): void;
  export(): unknown;
  getMessages(headId?: string): readonly ThreadMessage[];
  addOrUpdateMessage(parentId: string | null, message: ThreadMessage): void;
  switchToBranch(id: string): void;
}

// The package does not export its repository, so the module is imported by its path.
const repositoryModule = join(
  repositoryRoot,
  'node_modules/@assistant-ui/core/dist/runtime/utils/message-repository.js',
);
const { MessageRepository: Repository }: { readonly MessageRepository: new () => MessageRepository } = await import(
  pathToFileURL(repositoryModule).href
);

const roleOf = (n: number) => (n % 2 === 0 ? 'user' : 'assistant');

function textOfMessage(n: number): string {
  const [block] = makeParsedBenchMessage(n).content;
  return block !== undefined && 'text' in block ? String(block.text) : '';
}

function toThreadMessage(id: string, role: string, text: string): ThreadMessage {
  const made = {
    id,
    role,
    content: [{ type: 'text' as const, text }],
    createdAt: new Date(0),
    metadata: { custom: {} },
  };
  return role === 'user'
    ? Object.assign(made, { attachments: [] })
    : Object.assign(made, { status: { type: 'complete' } });
}

function threadMessage(n: number): ThreadMessage {
  return toThreadMessage(crypto.randomUUID(), roleOf(n), textOfMessage(n));
}

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
const reply = { api: 'x', provider: 'p', model: 'm', usage, stopReason: 'stop' as const, timestamp: 1 };

function addToPi(session: PiSessionManager, role: string, text: string): string {
  const content = [{ type: 'text' as const, text }];
  return session.appendMessage(
    role === 'user' ? { role, content, timestamp: 1 } : { role: 'assistant', content, ...reply },
  );
}

/** Appends messages as one chain below the current message; returns the id of the last one. */
function appendToPi(session: PiSessionManager, from: number, count: number): string {
  let last = '';
  for (let n = from; n < from + count; n++) last = addToPi(session, roleOf(n), textOfMessage(n));
  return last;
}

/** Builds branches of equal depth below the root, as in the tree of Coppice. */
function buildPi(session: PiSessionManager, size: number): void {
  for (let n = 0; n < size; n += benchBranchDepth) {
    session.resetLeaf();
    appendToPi(session, n, benchBranchDepth);
  }
}

function benchItems(size: number): ThreadItem[] {
  const items: ThreadItem[] = [];
  for (let n = 0; n < size; n++) {
    const above = n % benchBranchDepth === 0 ? null : (items[n - 1]?.message.id ?? null);
    items.push({ parentId: above, message: threadMessage(n) });
  }
  return items;
}

function importItems(items: readonly ThreadItem[]): MessageRepository {
  const repository = new Repository();
  repository.import({ headId: items.at(-1)?.message.id ?? '', messages: items });
  return repository;
}

function appendToRepository(
  repository: MessageRepository,
  parentId: string | null,
  from: number,
  count: number,
): string {
  let last = parentId;
  for (let n = from; n < from + count; n++) {
    const message = threadMessage(n);
    repository.addOrUpdateMessage(last, message);
    last = message.id;
  }
  return last ?? '';
}

/** Both programs with the same tree. */
interface Peers {
  readonly pi: PiSessionManager;
  readonly ui: MessageRepository;
}

function buildPeers(size: number): Peers {
  const pi = PiSessionManager.inMemory();
  buildPi(pi, size);
  return { pi, ui: importItems(benchItems(size)) };
}

type Works = { readonly pi?: (turn: number) => unknown; readonly 'assistant-ui'?: (turn: number) => unknown };

async function measure(work: string, works: Works, turns: number, warm?: number): Promise<PeerMeasurement[]> {
  const times: Partial<Record<PeerMeasurement['by'], number>> = await measureAlternating<PeerMeasurement['by']>(
    works as { readonly [N in PeerMeasurement['by']]: (turn: number) => unknown },
    turns,
    warm,
  );
  return (['pi', 'assistant-ui'] as const).flatMap((by) => {
    const value = times[by];
    return value === undefined ? [] : [{ work, by, value }];
  });
}

async function measureMemory(): Promise<PeerMeasurement[]> {
  const { pi, ui } = buildPeers(10_000);
  const appended = await measure(
    'append, memory, 10,000 messages',
    {
      pi: (n) => appendToPi(pi, n, 1),
      'assistant-ui': (n) => ui.addOrUpdateMessage(ui.headId, threadMessage(n)),
    },
    2_000,
    4_000,
  );
  const small = buildPeers(10_000);
  const shapes = await measure(
    'topology of 10,000, memory',
    { pi: () => small.pi.getTree(), 'assistant-ui': () => small.ui.export() },
    15,
    3,
  );
  const messages = 20_000;
  const sizeOf = (make: () => unknown) => measureRetainedBytes(make, 1) / messages;
  const work = 'heap for a loaded message';
  return [
    ...appended,
    ...shapes,
    {
      work,
      by: 'pi',
      value: sizeOf(() => {
        const session = PiSessionManager.inMemory();
        buildPi(session, messages);
        return session;
      }),
    },
    { work, by: 'assistant-ui', value: sizeOf(() => importItems(benchItems(messages))) },
  ];
}

async function measureReads(): Promise<PeerMeasurement[]> {
  const { pi, ui } = buildPeers(100_000);
  pi.resetLeaf();
  const piEnd = appendToPi(pi, 7_000_000, 1_000);
  const uiEnd = appendToRepository(ui, null, 7_000_000, 1_000);
  const paths = await measure(
    'path of 1,000',
    { pi: () => pi.getBranch(piEnd), 'assistant-ui': () => ui.getMessages(uiEnd) },
    60,
  );
  pi.resetLeaf();
  const piParent = appendToPi(pi, 8_000_000, benchBranchDepth - 1);
  const piVariants = [0, 1].map((n) => {
    pi.branch(piParent);
    return appendToPi(pi, 9_000_000 + n, 1);
  });
  const uiParent = appendToRepository(ui, null, 8_000_000, benchBranchDepth - 1);
  const uiVariants = [0, 1].map((n) => appendToRepository(ui, uiParent, 9_000_000 + n, 1));
  const switches = await measure(
    'switch a variant and get the thread, 100,000 messages',
    {
      pi: (n) => {
        pi.branch(piVariants[n % 2] ?? piParent);
        return pi.getBranch();
      },
      'assistant-ui': (n) => {
        ui.switchToBranch(uiVariants[n % 2] ?? uiParent);
        return ui.getMessages();
      },
    },
    200,
  );
  const texts = await measure(
    'current thread of 60 as JSON bytes',
    {
      pi: () => Buffer.from(JSON.stringify(pi.getBranch())),
      'assistant-ui': () => Buffer.from(JSON.stringify(ui.getMessages())),
    },
    200,
  );
  pi.branch(piEnd);
  const firstKept = pi.getBranch().at(-10)?.id ?? piEnd;
  pi.appendCompaction('What was said.', firstKept, 1);
  appendToPi(pi, 9_500_000, 60);
  const contexts = await measure('context of 71 after a compaction', { pi: () => pi.buildSessionContext() }, 40);
  return [...paths, ...switches, ...texts, ...contexts];
}

/** Opens the conversation from a file: pi from its session file, assistant-ui from the JSON of all its messages. */
async function measureOpening(folder: string, sizes: readonly number[]): Promise<PeerMeasurement[]> {
  const found: PeerMeasurement[] = [];
  for (const size of sizes) {
    const [sessionPath, jsonPath] = [join(folder, `pi-${size}.jsonl`), join(folder, `assistant-ui-${size}.json`)];
    const session = PiSessionManager.inMemory();
    buildPi(session, size);
    const lines = [session.getHeader(), ...session.getEntries()].map((entry) => JSON.stringify(entry));
    writeFileSync(sessionPath, `${lines.join('\n')}\n`);
    writeFileSync(jsonPath, JSON.stringify(benchItems(size)));
    const work = `open and get the thread, SQLite, ${size.toLocaleString('en')} messages`;
    const rows = await measure(
      work,
      {
        pi: () => PiSessionManager.open(sessionPath).getBranch(),
        'assistant-ui': () => importItems(JSON.parse(readFileSync(jsonPath, 'utf8'))).getMessages(),
      },
      5,
      1,
    );
    found.push(...rows);
  }
  return found;
}

interface ExportedNode {
  readonly id: string;
  readonly parent: string | null;
  readonly message: {
    readonly author: { readonly role: string };
    readonly content: { readonly parts: string[] };
  } | null;
}

/** Imports an export in ChatGPT's format: pi into session files that it writes, assistant-ui into memory. */
function measureImports(folder: string, text: string): Promise<PeerMeasurement[]> {
  const conversations = (): readonly { readonly mapping: { readonly [id: string]: ExportedNode } }[] =>
    JSON.parse(text);
  return measure(
    "import of 10,000 messages, ChatGPT's format, SQLite",
    {
      pi: () => {
        for (const { mapping } of conversations()) {
          const session = PiSessionManager.create(folder, join(folder, 'pi-sessions'));
          const ids = new Map<string, string>();
          for (const { id, parent, message } of Object.values(mapping)) {
            if (message === null) continue;
            const above = parent === null ? undefined : ids.get(parent);
            if (above === undefined) session.resetLeaf();
            else session.branch(above);
            const [said = ''] = message.content.parts;
            ids.set(id, addToPi(session, message.author.role, said));
          }
        }
      },
      'assistant-ui': () => {
        for (const { mapping } of conversations()) {
          const items = Object.values(mapping).flatMap(({ id, parent, message }) =>
            message === null
              ? []
              : [
                  {
                    parentId: parent === null || mapping[parent]?.message === null ? null : parent,
                    message: toThreadMessage(id, message.author.role, message.content.parts[0] ?? ''),
                  },
                ],
          );
          preventOptimisation(importItems(items));
        }
      },
    },
    5,
    1,
  );
}

/** Measures the workloads that these programs have. */
export async function measurePeers(folder: string): Promise<readonly PeerMeasurement[]> {
  return [
    ...(await measureMemory()),
    ...(await measureReads()),
    ...(await measureOpening(folder, [1_000, 100_000])),
    ...(await measureImports(folder, makeExportText(100, 100))),
  ];
}
