// Converts a topic, which is a list of messages. An answer names its question, and the next question follows the
// selected answer.
import type { Json, JsonObject } from '@coppice/core';
import type { Attachment, AttachmentFiles } from '../attachments.ts';
import type { ImportedNode, ImportedTree } from '../contract.ts';
import { checkTime, getFilledText, getTexts, isJsonObject, listAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { buildNonObjectFinding } from '../structure-findings.ts';
import { omitUndefinedAttributes } from '../turn-nodes.ts';
import { cherryStatus, toCherryParts } from './message.ts';

/** The stored settings of a topic, and the system prompt of the topic or its assistant. */
export interface CherryTopicMeta {
  readonly topic: JsonObject;
  readonly systemPrompt: string | undefined;
}

/** Determines the parents of messages while the list is read. */
class TopicThread {
  tip: string | null = null;
  readonly #earlier = new Set<string>();
  #question: string | undefined;
  #answers: { readonly ask: string; readonly parent: string | null; selected: boolean } | undefined;

  /**
   * Returns the parent of a message. The message becomes the end of the list, unless another answer to its question is
   * selected or it answers an older question.
   */
  place(message: JsonObject, id: string): string | null {
    const ask = message.role === 'assistant' ? getFilledText(message, 'askId') : undefined;
    const parent = ask === undefined ? this.#next(message, id) : this.#answer(message, id, ask);
    this.#earlier.add(id);
    return parent;
  }

  /** Whether an earlier message has this id. */
  knows(id: string): boolean {
    return this.#earlier.has(id);
  }

  #next(message: JsonObject, id: string): string | null {
    const parent = this.tip;
    this.#answers = undefined;
    if (message.role === 'user') this.#question = id;
    this.tip = id;
    return parent;
  }

  #answer(message: JsonObject, id: string, ask: string): string | null {
    const selected = message.foldSelected === true;
    if (this.#answers?.ask === ask) {
      if (selected || !this.#answers.selected) this.tip = id;
      if (selected) this.#answers.selected = true;
      return this.#answers.parent;
    }
    // An answer to an older question does not continue the list.
    if (ask !== this.#question && this.#earlier.has(ask)) return ask;
    const parent = ask === this.#question ? ask : this.tip;
    this.#answers = { ask, parent, selected };
    this.tip = id;
    return parent;
  }
}

/** What {@link cherryTopicToTree} needs besides the topic: blocks, files and settings. */
export interface CherryTopicInput {
  readonly blocks: ReadonlyMap<string, JsonObject>;
  readonly files: AttachmentFiles;
  readonly note: CherryTopicMeta | undefined;
}

function blocksOfTopic(
  message: JsonObject,
  space: CherryTopicInput,
  findings: ImportFinding[],
  place: string,
): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const id of getTexts(message, 'blocks')) {
    const block = space.blocks.get(id);
    if (block === undefined)
      findings.push(
        buildFinding('import/pointer-missing', 'repair', place, buildFindingDetail('block', id.slice(0, 80))),
      );
    else blocks.push(block);
  }
  return blocks;
}

/** The messages of a topic as nodes, with the files that they refer to. */
interface TopicMessages {
  readonly nodes: readonly ImportedNode[];
  readonly blobs: ReadonlyMap<string, Attachment>;
  readonly activeId: string | null;
}

/** Converts the messages of a topic; adds what is unusual about them to `findings`. */
async function topicMessages(
  topic: JsonObject,
  place: string,
  findings: ImportFinding[],
  space: CherryTopicInput,
): Promise<TopicMessages> {
  const nodes: ImportedNode[] = [];
  const blobs = new Map<string, Attachment>();
  const thread = new TopicThread();
  for (const [index, message] of listAt(topic, 'messages').entries()) {
    const at = `${place}.messages[${index}]`;
    if (!isJsonObject(message)) {
      findings.push(buildNonObjectFinding(at));
      continue;
    }
    const id = getFilledText(message, 'id') ?? `${index}`;
    const ask = message.role === 'assistant' ? getFilledText(message, 'askId') : undefined;
    if (ask !== undefined && !thread.knows(ask))
      findings.push(
        buildFinding('import/pointer-missing', 'note', at, buildFindingDetail('question-not-before', ask.slice(0, 80))),
      );
    let parent = thread.place(message, id);
    const createdAt = parseAnyTime(message.createdAt);
    for (const one of checkTime(message.createdAt, createdAt, at)) findings.push(one);
    const blocks = blocksOfTopic(message, space, findings, at);
    const parts = await toCherryParts(message, blocks, { files: space.files, blobs, findings, place: at });
    const status = cherryStatus(message);
    const record: Json = blocks.length === 0 ? message : { ...message, $blocks: blocks };
    const last = Math.max(0, parts.length - 1);
    for (let part = 0; part <= last; part++) {
      const own = part === last ? id : `${id}/${part}`;
      const { message: said = null, meta = {} } = parts[part] ?? {};
      nodes.push({
        externalId: own,
        parentExternalId: parent,
        message: said,
        records: part === last ? 1 : 0,
        place: at,
        ...(part === last ? { record } : {}),
        // The parts form a chain; the first part is a sibling of the other answers.
        ...(part === 0 && ask !== undefined ? { group: ask } : {}),
        ...(createdAt === undefined ? {} : { createdAt }),
        ...(Object.keys(meta).length === 0 ? {} : { meta }),
        ...(part === last && status !== undefined ? { status } : {}),
      });
      parent = own;
    }
  }
  return { nodes, blobs, activeId: thread.tip };
}

/** Converts a topic to a tree. An answer becomes a sibling of the other answers to its question. */
export async function cherryTopicToTree(
  topic: JsonObject,
  place: string,
  found: readonly ImportFinding[],
  space: CherryTopicInput,
): Promise<ImportedTree> {
  const findings = [...found];
  const { nodes, blobs, activeId } = await topicMessages(topic, place, findings, space);
  const reported = space.note?.topic ?? {};
  const systemPrompt = space.note?.systemPrompt;
  return {
    externalId: textAt(topic, 'id') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(reported, 'name') ?? getFilledText(topic, 'name'),
      createdAt: parseAnyTime(reported.createdAt),
      updatedAt: parseAnyTime(reported.updatedAt),
    }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(reported.pinned === true ? { attributes: { pinned: true } } : {}),
    nodes,
    activeExternalId: activeId,
    record: {
      ...omitKeys(topic, 'messages'),
      ...(space.note === undefined ? {} : { $topic: omitKeys(reported, 'messages') }),
    },
    blobs: [...blobs.values()],
    place,
    findings,
  };
}
