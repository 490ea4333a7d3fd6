// Converts commits to lines, and lines back to steps. Inserts are entries, a change of the active node is a `leaf`
// line, and every other step is part of a `change` line.

import type { FieldMap } from '@coppice/core';
import {
  buildRootNode,
  type Commit,
  type MessageKit,
  matchParentOfChildren,
  type NewNode,
  type NodeId,
  nodeId,
  type SelectStep,
  type Step,
  type Tree,
} from '@coppice/core';
import { getNumber, getText, isFieldMap, ownField } from '@coppice/core/decode';
import { answerFromTree } from '@coppice/core/store';
import { bookmarkOn, findAnyNode, parseStep, parseSteps, positionBetween } from '@coppice/core/tree';
import { isLeafEntryType, isSideEntryType, type SessionEntry, type SessionHeader, sessionVersion } from './contract.ts';
import { decodeEntry, encodeNode, formatCreatedTime, type ToFileId, toNodeMarker } from './entry-codec.ts';
import { formatSessionTime, parseSessionTime, pickJsonFields } from './fields.ts';

/** What {@link encodeCommitLines} needs besides the commit. */
export interface CommitLineInputs {
  /** The tree before the commit; null for the first commit. */
  readonly before: Tree | null;
  readonly fileId: ToFileId;
  readonly newId: () => string;
  readonly kit: MessageKit;
  /** Fields that are added to the header of a new file. */
  readonly header: FieldMap;
}

/** Returns the lines of a commit, without the fields about the commit as a whole. */
export function encodeCommitLines(commit: Commit, writing: CommitLineInputs): SessionEntry[] {
  const { before, fileId } = writing;
  const lines: SessionEntry[] = [];
  const root: NodeId | null = before?.rootId ?? rootOf(commit.steps);
  let active = before?.activeNodeId ?? null;
  // The leaf that a reader would derive from the lines so far.
  let reported = active;
  let others: Step[] = [];
  const at = (id: NodeId | null) => fileId(id ?? root ?? '');
  const aside = (type: string, fields: FieldMap): SessionEntry => {
    const timestamp = formatSessionTime(commit.at);
    return {
      type,
      uuid: writing.newId(),
      parentUuid: at(active),
      ...(timestamp === undefined ? {} : { timestamp }),
      ...fields,
    };
  };
  const flush = () => {
    if (others.length > 0) lines.push(aside('change', { steps: others }));
    others = [];
  };
  for (const [index, step] of commit.steps.entries()) {
    if (step.type === 'insert') {
      flush();
      if (step.node.kind === 'root') lines.push(headerOfTree(commit, step.node, writing));
      else {
        const line = encodeNode(step.node, fileId, annotationLine(step.node, writing));
        lines.push(line);
        if (isLeafEntryType(line.type)) reported = step.node.id;
      }
    } else if (step.type === 'select') {
      const implied = index === commit.steps.length - 1 && reported === step.after && reported !== active;
      if (!implied || step.before !== active) {
        flush();
        const was = step.before === active ? {} : { before: step.before === null ? null : fileId(step.before) };
        lines.push({ ...aside('leaf', was), parentUuid: at(step.after) });
      }
      active = step.after;
      reported = active;
    } else others.push(step);
  }
  flush();
  // A reader takes the last added node as the active one. If another node stays active, this line names it.
  if (reported !== active) lines.push({ ...aside('leaf', { stay: true }), parentUuid: at(active) });
  return lines;
}

function rootOf(steps: readonly Step[]): NodeId | null {
  for (const step of steps) if (step.type === 'insert' && step.node.kind === 'root') return step.node.id;
  return null;
}

function headerOfTree(commit: Commit, node: NewNode, { fileId, header }: CommitLineInputs): SessionHeader {
  const timestamp = formatCreatedTime(node);
  const bare = buildRootNode(node.id, node.createdAt);
  const noted = pickJsonFields({
    ...(timestamp === undefined ? { createdAt: node.createdAt } : {}),
    ...(Object.keys(node.meta).length === 0 ? {} : { meta: node.meta }),
    ...(node.position === bare.position ? {} : { position: node.position }),
    ...(node.text === '' && node.tokens === 0 ? {} : { text: node.text, tokens: node.tokens }),
  });
  return {
    type: 'session',
    version: sessionVersion,
    uuid: fileId(node.id),
    parentUuid: null,
    id: commit.treeId,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...header,
    ...(Object.keys(noted).length === 0 ? {} : { node: noted }),
  };
}

// These values are stored, because computing them again costs more than reading: the key is a hash, and the tokens are
// an estimate.
function annotationLine(node: NewNode, { kit }: CommitLineInputs): FieldMap {
  const { message, key, tokens, text, position } = node;
  return {
    position,
    ...(key === null ? {} : { key }),
    tokens,
    ...(message !== null && kit.text(message) === text ? {} : { text }),
  };
}

/** What {@link decodeCommitLines} needs besides the lines. */
export interface LineReadOptions {
  /** Returns the node id for an id of the file. */
  readonly toNode: (fileId: string) => string;
  /** Returns the parent id of an entry, or that of the entry that replaces a missing parent. */
  readonly parentOf: (entry: SessionEntry) => string;
  readonly kit: MessageKit;
  /** Reports an entry that cannot be applied and is left out. */
  readonly misfit: (entry: SessionEntry, why: string) => void;
}

/** Returns the first steps of a session, which create its root. */
export function buildHeaderSteps(header: SessionHeader, reading: Pick<LineReadOptions, 'toNode'>): Step[] {
  const noted = ownField(header, 'node');
  const fields: FieldMap = isFieldMap(noted) ? noted : {};
  const createdAt = getNumber(fields, 'createdAt') ?? parseSessionTime(header.timestamp) ?? 0;
  const bare = buildRootNode(nodeId(reading.toNode(header.uuid)), createdAt);
  const node = {
    ...bare,
    position: getText(fields, 'position') ?? bare.position,
    meta: isFieldMap(ownField(fields, 'meta')) ? ownField(fields, 'meta') : bare.meta,
    text: getText(fields, 'text') ?? '',
    tokens: getNumber(fields, 'tokens') ?? 0,
  };
  const step = parseStep({ type: 'insert', node });
  return step.ok ? [step.value] : [{ type: 'insert', node: bare }];
}

/**
 * Returns the steps of one commit from its lines. `tree` is the state before the commit; `first` contains steps before
 * the lines, such as those of the header. The caller checks whether the steps can be applied.
 */
export function decodeCommitLines(
  tree: Tree,
  lines: readonly SessionEntry[],
  reading: LineReadOptions,
  first: readonly Step[] = [],
): Step[] {
  const steps = [...first];
  const fresh = new Map<string, NewNode>();
  for (const step of first) if (step.type === 'insert') fresh.set(step.node.id, step.node);
  const root = rootOf(first) ?? tree.rootId;
  let active = tree.activeNodeId;
  let reported = active;
  for (const line of lines) {
    if (line.type === 'change') {
      const parsed = parseSteps(ownField(line, 'steps'));
      if (parsed.ok) for (const step of parsed.value) steps.push(step);
      else reading.misfit(line, parsed.refusal.message);
    } else if (line.type === 'leaf') {
      const target = nodeId(reading.toNode(reading.parentOf(line)));
      const after = target === root ? null : target;
      // Only an empty tree has no active node. In other trees the line means that the next message starts a new branch.
      if (after === null && tree.size > 0 && !steps.some((step) => step.type === 'remove')) continue;
      reported = after;
      if (ownField(line, 'stay') === true) continue;
      const was = ownField(line, 'before');
      const before = was === undefined ? active : typeof was === 'string' ? nodeId(reading.toNode(was)) : null;
      steps.push({ type: 'select', after, before });
      active = after;
    } else if (line.type === 'label') {
      const step = labelStep(tree, line, reading);
      if (step !== null) steps.push(step);
    } else if (line.type === 'session_info') {
      const name = getText(line, 'name')?.trim();
      const after = { title: name === undefined || name === '' ? null : name };
      steps.push({ type: 'attributes', after, before: { title: tree.attributes.title ?? null } });
    } else if (!isSideEntryType(line.type)) {
      const node = nodeOfLine(tree, fresh, line, reading);
      fresh.set(node.id, node);
      steps.push({ type: 'insert', node });
      if (isLeafEntryType(line.type)) reported = node.id;
      // A tree with nodes must have an active node. Files of other tools begin with settings before the first message.
      else if (active === null) reported ??= node.id;
    }
  }
  if (reported !== active) steps.push({ type: 'select', after: reported, before: active } satisfies SelectStep);
  return steps;
}

function labelStep(tree: Tree, line: SessionEntry, reading: LineReadOptions): Step | null {
  const target = getText(line, 'targetUuid');
  const id = nodeId(reading.toNode(target ?? ''));
  if (target === undefined || findAnyNode(tree, id) === undefined) {
    reading.misfit(line, 'it labels an entry that is not there');
    return null;
  }
  const there = bookmarkOn(tree, id) ?? null;
  const at = parseSessionTime(line.timestamp) ?? tree.updatedAt;
  const label = getText(line, 'label') ?? '';
  const step = parseStep({
    type: 'bookmark',
    nodeId: id,
    after:
      label === ''
        ? null
        : { nodeId: id, title: label, createdAt: there === null ? at : there.createdAt, updatedAt: at },
    before: there,
  });
  return step.ok ? step.value : null;
}

// A position depends only on its own tree, so questions about other trees are never asked.
const alone = {
  tree: () => undefined,
  log: () => [],
  taken: () => [],
  home: () => null,
  forest: () => null,
  undoable: () => null,
  redoable: () => null,
};

function nodeOfLine(
  tree: Tree,
  fresh: ReadonlyMap<string, NewNode>,
  entry: SessionEntry,
  reading: LineReadOptions,
): NewNode {
  const { toNode, kit } = reading;
  const { kind, message, status, meta, marker, createdAt, noted } = decodeEntry(entry);
  const parentId = nodeId(toNode(reading.parentOf(entry)));
  const parent = fresh.get(parentId) ?? findAnyNode(tree, parentId);
  const made: NewNode = {
    id: nodeId(toNode(entry.uuid)),
    parentId,
    position: getText(noted, 'position') ?? lastPositionIn(tree, fresh, parentId),
    kind,
    message,
    status,
    groupId: getNumber(noted, 'groupId') ?? 0,
    createdAt: createdAt ?? parent?.createdAt ?? 0,
    matchParent: parent === undefined ? parentId : matchParentOfChildren(parent),
    key: kind === 'message' ? (getText(noted, 'key') ?? kit.key(message)) : null,
    text: getText(noted, 'text') ?? kit.text(message),
    tokens: getNumber(noted, 'tokens') ?? kit.tokens(message),
    meta,
    marker: toNodeMarker(marker, toNode),
    aliases: [],
  };
  const aliases = ownField(noted, 'aliases');
  const step = parseStep({ type: 'insert', node: aliases === undefined ? made : { ...made, aliases } });
  if (step.ok && step.value.type === 'insert') return step.value.node;
  reading.misfit(entry, step.ok ? 'it is no entry' : step.refusal.message);
  return omitUnreadableMeta(made, lastPositionIn(tree, fresh, parentId), kit);
}

/** Returns a node without its stored metadata, which could not be read; its message is kept. */
function omitUnreadableMeta(made: NewNode, position: string, kit: MessageKit): NewNode {
  const { message } = made;
  const plain: NewNode = {
    ...made,
    position,
    groupId: 0,
    key: made.kind === 'message' && message !== null ? kit.key(message) : null,
    text: message === null ? '' : kit.text(message),
    tokens: message === null ? 0 : kit.tokens(message),
    aliases: [],
  };
  const marker = plain.kind === 'message' ? null : {};
  for (const node of [plain, { ...plain, marker }, { ...plain, meta: {} }, { ...plain, marker, meta: {} }]) {
    const step = parseStep({ type: 'insert', node });
    if (step.ok && step.value.type === 'insert') return step.value.node;
  }
  return { ...plain, marker, meta: {} };
}

function lastPositionIn(tree: Tree, fresh: ReadonlyMap<string, NewNode>, parentId: NodeId): string {
  let last = lastChildPosition(tree, parentId);
  for (const node of fresh.values())
    if (node.parentId === parentId && (last === null || node.position > last)) last = node.position;
  return positionBetween(last, null);
}

function lastChildPosition(tree: Tree, parentId: NodeId): string | null {
  const edge = answerFromTree(tree, { ask: 'lastPosition', of: parentId }, alone);
  return typeof edge === 'string' ? edge : null;
}

/** Returns a position after all children of a node, removed ones included. */
export function findPositionAfterChildren(tree: Tree, parentId: NodeId): string {
  return positionBetween(lastChildPosition(tree, parentId), null);
}
