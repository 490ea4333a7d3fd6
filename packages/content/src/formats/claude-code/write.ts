import type { Json, JsonObject, Message, Node, NodeId } from '@coppice/core';
import { textOf } from '@coppice/core';
import { parseUsage } from '@coppice/core/context';
import { blockDefinitionOf, replaceCallsByText } from '../../blocks/index.ts';
import { readClaudeCode } from '../../sessions/index.ts';
import { toAnthropicBlock, toAnthropicToolResult } from '../anthropic-blocks.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { embedBytes } from '../embed-bytes.ts';
import {
  assignExportedIds,
  buildLossEvent,
  findAttributeLosses,
  findBookmarkLosses,
  findGeneratedTitle,
  findMetadataLosses,
  findOriginalTreeRecord,
  findProducerLosses,
  findSessionLosses,
} from '../exporting.ts';
import { formatIsoTime, getFilledText, numberAt, objectAt, omitKeys, textAt } from '../fields.ts';
import {
  computeLineRanks,
  encodeJsonLines,
  findOriginalLines,
  getPreservedLines,
  LineCollector,
  type LineRank,
  type NodeWithLines,
  toSafeFileName,
} from '../preserved-lines.ts';
import { isFailedToolResult } from '../tool-results.ts';
import { deriveBoundaryId } from './message-lines.ts';

const name = 'claude-code';

/** Returns the fields that all lines of a session share, from an original line. */
function sharedLineFields(nodes: readonly NodeWithLines[], session: string): JsonObject {
  const line = nodes.find(({ kept }) => kept !== null && kept.lines.length > 0)?.kept?.lines[0]?.line ?? {};
  const agent = textAt(line, 'agentId');
  const branch = textAt(line, 'gitBranch');
  return {
    isSidechain: line.isSidechain === true && agent !== undefined,
    userType: 'external',
    cwd: textAt(line, 'cwd') ?? '/',
    sessionId: session,
    version: textAt(line, 'version') ?? '2.1.0',
    ...(branch === undefined ? {} : { gitBranch: branch }),
    ...(agent === undefined ? {} : { agentId: agent }),
  };
}

class ClaudeCodeWriter {
  readonly out = new LineCollector();
  readonly losses: { readonly node: Node; readonly what: string; readonly message: string }[] = [];
  written = 0;
  merged = 0;
  left = 0;
  readonly #tree: ExportedTree;
  readonly #options: WriteOptions;
  readonly #nodes: readonly NodeWithLines[];
  readonly #base: JsonObject;
  readonly #ranks: ReadonlyMap<NodeId, LineRank>;
  /** Maps each node to its last line, which is the parent of the children's lines. */
  readonly #lastLines = new Map<NodeId, string | null>();
  /** Maps the ids of an edited reply's old lines to its new line. */
  readonly #replacedBy = new Map<string, string>();
  readonly #byId = new Map<string, NodeWithLines>();
  readonly #returning: ReadonlyMap<NodeId, NodeWithLines>;
  /** Maps each node without a separate line to the id of the line that contains it. */
  readonly #inside = new Map<string, string>();

  constructor(tree: ExportedTree, session: string, options: WriteOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#nodes = findOriginalLines(tree, name, assignExportedIds(tree, name));
    this.#ranks = computeLineRanks(tree, this.#nodes);
    this.#base = sharedLineFields(this.#nodes, session);
    this.#returning = new Map(this.#nodes.map((one) => [one.node.id, one]));
    for (const one of this.#nodes) this.#byId.set(one.id, one);
    this.#lastLines.set(tree.rootId, null);
  }

  async write(): Promise<void> {
    for (const one of this.#nodes) this.#gather(one);
    for (const one of this.#nodes) {
      const { node, id, kept } = one;
      const home = this.#inside.get(id);
      if (home !== undefined) {
        this.#lastLines.set(node.id, home);
        this.merged++;
      } else if (kept !== null && kept.lines.length > 0 && this.#isWhole(one)) this.#writeOriginal(one);
      else await this.#writeNew(one);
      if (kept !== null) this.out.addKept(kept.after);
    }
  }

  /** Whether all nodes of a line are unchanged and still form a chain. */
  #isWhole({ unchanged, kept, inPlace }: NodeWithLines): boolean {
    if (!unchanged || kept === null) return false;
    if (kept.parts.length === 0) return true;
    return (
      inPlace &&
      kept.parts.every((part, index) => {
        const found = this.#byId.get(part);
        return found?.unchanged === true && (index === 0 || found.inPlace);
      })
    );
  }

  #gather(one: NodeWithLines): void {
    const { kept } = one;
    if (kept === null || !this.#isWhole(one)) return;
    const home = textAt(kept.lines.at(-1)?.line ?? {}, 'uuid');
    if (home !== undefined) for (const part of kept.parts) this.#inside.set(part, home);
  }

  #lastLine(parentId: NodeId | null): string | null {
    return this.#lastLines.get(parentId ?? this.#tree.rootId) ?? null;
  }

  /** Writes the original lines of a node, with a new parent if the node was moved. */
  #writeOriginal({ node, kept, inPlace }: NodeWithLines): void {
    if (kept === null) return;
    const head = kept.parts.length === 0 ? undefined : this.#byId.get(kept.parts[0] ?? '');
    const top = head?.node ?? node;
    const moved = !(head?.inPlace ?? inPlace);
    const rank = this.#ranks.get(node.id);
    for (const [index, { at, line }] of kept.lines.entries()) {
      const named = textAt(line, 'parentUuid');
      const stand = named === undefined ? undefined : this.#replacedBy.get(named);
      if (moved && index === 0) this.out.add(linked(line, this.#lastLine(top.parentId)), at, rank);
      else this.out.add(stand === undefined ? line : { ...line, parentUuid: stand }, at, rank);
    }
    this.#lastLines.set(node.id, textAt(kept.lines.at(-1)?.line ?? {}, 'uuid') ?? node.id);
    this.written++;
  }

  /** Writes new lines for a node that was added or edited in Coppice. */
  async #writeNew({ node, id, kept, inPlace }: NodeWithLines): Promise<void> {
    const was = kept?.lines.at(-1);
    const uuid = textAt(was?.line ?? {}, 'uuid') ?? id;
    for (const { line } of kept?.lines ?? []) {
      const gone = textAt(line, 'uuid');
      if (gone !== undefined && gone !== uuid) this.#replacedBy.set(gone, uuid);
    }
    // If several nodes were read from one line, they are written separately, each below the line of the previous one.
    const named = kept?.parts.length === 0 ? kept.lines[0]?.line.parentUuid : undefined;
    const above =
      inPlace && typeof named === 'string' ? (this.#replacedBy.get(named) ?? named) : this.#lastLine(node.parentId);
    const made = node.message === null ? null : await this.#linesOf(node, node.message, uuid, above, was === undefined);
    if (made === null) {
      this.left++;
      this.#lastLines.set(node.id, above);
      return;
    }
    const rank = this.#ranks.get(node.id);
    for (const line of made) this.out.add(was === undefined ? line : editedLine(was.line, line), was?.at, rank);
    this.#lastLines.set(node.id, uuid);
    this.written++;
  }

  async #linesOf(
    node: Node,
    said: Message,
    uuid: string,
    parentUuid: string | null,
    fresh: boolean,
  ): Promise<JsonObject[] | null> {
    const base = { parentUuid, ...this.#base };
    const end = { uuid, timestamp: formatIsoTime(node.createdAt) };
    const message = await embedBytes(said, this.#options);
    const user = (content: Json, more: JsonObject = {}): JsonObject => ({
      ...base,
      type: 'user',
      message: { role: 'user', content },
      ...more,
      ...end,
    });
    switch (node.kind) {
      case 'state':
        this.#lose(node, 'markers', 'A marker of an extension is left out.');
        return null;
      case 'compaction':
        return fresh
          ? this.#compaction(node, textOf(message), uuid, parentUuid)
          : [user(textOf(message), { isCompactSummary: true })];
      case 'branch-summary':
        this.#lose(node, 'markers', 'A summary of another branch is written as a note to the model.');
        return [user(textOf(message), { isMeta: true })];
      case 'injected':
        if (message.role !== 'user') this.#lose(node, 'markers', 'It is written as a note by the user.');
        return [
          user(this.#content(node, { ...message, content: replaceCallsByText(message.content) }), { isMeta: true }),
        ];
      default:
    }
    if (node.meta.excluded === true)
      this.#lose(node, 'excluded', 'It is written as an ordinary message, which the model sees.');
    switch (message.role) {
      case 'tool':
        return [user([toAnthropicToolResult(message, isFailedToolResult(node.meta))])];
      case 'assistant':
        return [
          {
            ...base,
            type: 'assistant',
            message: this.#reply(node, message),
            ...(node.status === 'error' ? { isApiErrorMessage: true } : {}),
            ...end,
          },
        ];
      case 'system':
        this.#lose(node, 'system', 'A system message is written as a note to the user.');
        return [{ ...base, type: 'system', subtype: 'informational', content: textOf(message), level: 'info', ...end }];
      default:
        return [user(this.#content(node, message))];
    }
  }

  /**
   * Builds a boundary line, which has no parent and names the message before it, and the summary line below the
   * boundary.
   */
  #compaction(node: Node, summary: string, uuid: string, above: string | null): JsonObject[] {
    const timestamp = formatIsoTime(node.createdAt);
    const boundary = deriveBoundaryId(uuid);
    const kept = this.#keptFrom(node, uuid);
    const metadata: JsonObject = {
      trigger: 'manual',
      preTokens: node.marker?.tokensBefore ?? 0,
      ...kept,
    };
    return [
      {
        parentUuid: null,
        logicalParentUuid: above,
        ...this.#base,
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        level: 'info',
        compactMetadata: metadata,
        uuid: boundary,
        timestamp,
      },
      {
        parentUuid: boundary,
        ...this.#base,
        type: 'user',
        message: { role: 'user', content: summary },
        isCompactSummary: true,
        isVisibleInTranscriptOnly: true,
        uuid,
        timestamp,
      },
    ];
  }

  /**
   * Returns the metadata fields that name the last lines of the nodes that a compaction keeps; no fields if it keeps
   * none.
   */
  #keptFrom(node: Node, anchorUuid: string): JsonObject {
    const first = node.marker?.firstKept;
    if (first === undefined) return {};
    const uuids: string[] = [];
    for (let at = node.parentId; at !== null; ) {
      const tail = this.#lastLines.get(at);
      if (tail !== undefined && tail !== null) uuids.push(tail);
      if (at === first) {
        uuids.reverse();
        const [headUuid = anchorUuid] = uuids;
        return {
          preservedSegment: { headUuid, anchorUuid, tailUuid: uuids.at(-1) ?? headUuid },
          preservedMessages: { anchorUuid, uuids, allUuids: uuids },
        };
      }
      at = this.#returning.get(at)?.node.parentId ?? null;
    }
    return {};
  }

  #reply(node: Node, message: Message): JsonObject {
    const source = node.meta.source ?? {};
    const calls = message.content.some((block) => block.type === 'tool-use');
    return {
      id: `msg_${node.id.replaceAll('-', '')}`,
      type: 'message',
      role: 'assistant',
      model: getFilledText(source, 'model_name') ?? 'unknown',
      content: this.#blocks(node, message),
      stop_reason: getFilledText(source, 'finish_reason') ?? (calls ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage: this.#usage(node),
    };
  }

  /** Returns the usage of a reply. Unknown usage is written as zeros, because every line must have these fields. */
  #usage(node: Node): JsonObject {
    const usage = objectAt(node.meta.source ?? {}, 'usage');
    // The usage already has this form, with cache counts.
    if (numberAt(usage, 'input_tokens') !== undefined && numberAt(usage, 'output_tokens') !== undefined) return usage;
    const { inputTokens, outputTokens } = parseUsage(node) ?? { inputTokens: 0, outputTokens: 0 };
    return { input_tokens: inputTokens, output_tokens: outputTokens };
  }

  /** Returns the content of a user message; a single text becomes a string. */
  #content(node: Node, message: Message): Json {
    const [only] = message.content;
    if (message.content.length === 1 && only?.type === 'text' && 'text' in only && Object.keys(only).length === 2)
      return String(only.text);
    return this.#blocks(node, message);
  }

  #blocks(node: Node, message: Message): Json[] {
    return message.content.map((block) => {
      const made = toAnthropicBlock(block);
      if (made !== null) return made;
      this.#lose(node, 'attachments', 'Only the name of an attachment is written, not its bytes.');
      return { type: 'text', text: blockDefinitionOf(block).toText(block) };
    });
  }

  #lose(node: Node, what: string, message: string): void {
    this.losses.push({ node, what, message });
  }

  /** Returns the id of a node's last line; null for null. */
  lastLineOf(id: NodeId | null): string | null {
    return id === null ? null : this.#lastLine(id);
  }

  /** Returns the id that a node has in the file. */
  idOf(id: NodeId | null): string | undefined {
    return id === null ? undefined : this.#returning.get(id)?.id;
  }
}

/** Returns a line with changed content; author, time and other fields stay the same. */
function editedLine(was: JsonObject, line: JsonObject): JsonObject {
  const kept = { ...line, ...omitKeys(was, 'message', 'parentUuid', 'toolUseResult', 'content') };
  if (!('message' in line)) return kept;
  const said = objectAt(line, 'message');
  return {
    ...kept,
    message: { ...said, ...omitKeys(objectAt(was, 'message'), 'content'), content: said.content ?? '' },
  };
}

/** Returns a line with another parent, in the same field as before. */
function linked(line: JsonObject, parent: string | null): JsonObject {
  return typeof line.parentUuid !== 'string' && 'logicalParentUuid' in line
    ? { ...line, logicalParentUuid: parent }
    : { ...line, parentUuid: parent };
}

/**
 * Returns the line from which a reader would continue. All lines of a subagent's session are a side chain, so its last
 * entry is used.
 */
function lastLeafOf(lines: readonly JsonObject[]): string | undefined {
  const { leafUuid, entries } = readClaudeCode(lines.filter((line) => 'uuid' in line || line.type === 'last-prompt'));
  return leafUuid ?? entries.at(-1)?.uuid;
}

function* claudeCodeLosses(tree: ExportedTree): Generator<WriteEvent> {
  yield* findSessionLosses(tree);
  yield* findMetadataLosses(tree, name, ['cut-short', 'notes']);
  yield* findProducerLosses(tree, name);
  yield* findAttributeLosses(tree, name);
  yield* findBookmarkLosses(tree);
}

async function* writeClaudeCodeTree(tree: ExportedTree, options: WriteOptions): AsyncGenerator<WriteEvent> {
  const original = findOriginalTreeRecord(tree, name);
  const record = original?.record ?? {};
  const [session = tree.treeId, agent] = (original?.id ?? tree.treeId).split('/agent-');
  const writer = new ClaudeCodeWriter(tree, session, options);
  writer.out.addKept(getPreservedLines(record, '$lines'));
  await writer.write();
  yield* claudeCodeLosses(tree);
  for (const { node, what, message } of writer.losses) yield buildLossEvent(tree, node, what, message);
  const { title } = tree.attributes;
  const autoTitle = findGeneratedTitle(tree);
  if (title !== undefined && title !== record.$title)
    writer.out.add({ type: 'custom-title', customTitle: title, sessionId: session });
  else if (title === undefined && autoTitle !== undefined)
    writer.out.add({ type: 'ai-title', aiTitle: autoTitle, sessionId: session });
  const leaf = writer.lastLineOf(tree.activeNodeId);
  const active = writer.idOf(tree.activeNodeId);
  // Even if the active node did not change, a moved or added line may now be the last line of the file.
  if (leaf !== null && (active !== textAt(record, '$active') || active !== lastLeafOf(writer.out.ordered)))
    writer.out.add({ type: 'last-prompt', leafUuid: leaf, sessionId: session });
  const folder = toSafeFileName(session, tree.treeId);
  const file = agent === undefined ? folder : `${folder}/subagents/agent-${toSafeFileName(agent, tree.treeId)}`;
  yield { type: 'file', name: `${file}.jsonl`, mediaType: 'application/jsonl' };
  yield* encodeJsonLines(writer.out.ordered);
  yield { type: 'count', written: writer.written, merged: writer.merged, left: writer.left };
}

/** Writes each tree as one session file. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const tree of trees) yield* writeClaudeCodeTree(tree, options);
}
