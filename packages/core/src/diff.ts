/** Compares two branches or two messages. */
import { ok, type Result } from './errors.ts';
import type { NodeId } from './ids.ts';
import { type Block, isText, type Message, type Role, textOf } from './message.ts';
import type { Node } from './node.ts';
import { path } from './path.ts';
import { diffSequences } from './sequence-diff.ts';
import type { Tree } from './tree.ts';
import { diffText, type TextDiffPart } from './word-diff.ts';

export { diffText, splitWords, type TextDiffPart } from './word-diff.ts';

/** The comparison of two branches: the shared nodes are counted, the others are listed for each branch. */
export interface BranchDiff {
  /** The last shared node; null if the branches fork at the root. */
  readonly common: NodeId | null;
  /** The number of shared nodes. */
  readonly shared: number;
  readonly left: readonly Node[];
  readonly right: readonly Node[];
}

/** Compares two paths of one tree that both start at a first message. */
export function diffBranches(left: readonly Node[], right: readonly Node[]): BranchDiff {
  let shared = 0;
  let common: NodeId | null = null;
  for (; shared < left.length; shared++) {
    const id = left[shared]?.id ?? null;
    if (id === null || id !== right[shared]?.id) break;
    common = id;
  }
  return { common, shared, left: left.slice(shared), right: right.slice(shared) };
}

/** Compares the branches that end at two nodes. Refuses the same inputs as `path`, for example an unknown node. */
export function diff(tree: Tree, a: string, b: string): Result<BranchDiff> {
  const left = path(tree, { to: a });
  if (!left.ok) return left;
  const right = path(tree, { to: b });
  return right.ok ? ok(diffBranches(left.value, right.value)) : right;
}

/** A block that both messages contain, or that only the first (`removed`) or the second (`added`) contains. */
export interface DiffedBlock {
  readonly type: TextDiffPart['type'];
  readonly block: Block;
}

/** The comparison of two messages. */
export interface MessageDiff {
  /** Whether the messages are equal. Neither the division of text into blocks nor the order of keys matters. */
  readonly equal: boolean;
  readonly roles: readonly [left: Role, right: Role];
  /** The texts of both messages, compared word by word. */
  readonly text: readonly TextDiffPart[];
  /** All blocks that are not text, in order. */
  readonly blocks: readonly DiffedBlock[];
}

/** Compares two messages: text by words, other blocks as a whole. */
export function diffMessages(a: Message, b: Message): MessageDiff {
  const equal = a.role === b.role && a.tool_call_id === b.tool_call_id && sameContent(a, b);
  const [left, right] = [otherBlocks(a), otherBlocks(b)];
  return {
    equal,
    roles: [a.role, b.role],
    text: diffText(textOf(a), textOf(b)),
    blocks: diffBlocks(left, right),
  };
}

function otherBlocks(message: Message): Block[] {
  return message.content.filter((block) => !isText(block));
}

function diffBlocks(left: readonly Block[], right: readonly Block[]): DiffedBlock[] {
  const numbers = new Map<string, number>();
  const number = (block: Block) => {
    const text = canonicalText(block);
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  };
  const { removed, added } = diffSequences(Int32Array.from(left, number), Int32Array.from(right, number));
  const parts: DiffedBlock[] = [];
  let y = 0;
  for (const [x, block] of left.entries()) {
    if (removed[x] === 1) {
      parts.push({ type: 'removed', block });
      continue;
    }
    for (; added[y] === 1; y++) addDiffPart(parts, 'added', right[y]);
    addDiffPart(parts, 'equal', right[y]);
    y++;
  }
  for (; y < right.length; y++) addDiffPart(parts, 'added', right[y]);
  return parts;
}

function addDiffPart(parts: DiffedBlock[], type: DiffedBlock['type'], block: Block | undefined): void {
  if (block !== undefined) parts.push({ type, block });
}

/** Compares contents; adjacent text blocks count as one text. */
function sameContent(a: Message, b: Message): boolean {
  return canonicalText(equalRuns(a)) === canonicalText(equalRuns(b));
}

function equalRuns(message: Message): unknown[] {
  const found: unknown[] = [];
  let text = '';
  for (const block of message.content) {
    if (isText(block)) text += block.text;
    else {
      found.push(text, block);
      text = '';
    }
  }
  found.push(text);
  return found;
}

type PendingPair = { readonly literal: string } | { readonly value: unknown };

/** Serialises JSON with sorted keys. Iterative, because tool parameters may be nested arbitrarily deep. */
function canonicalText(root: unknown): string {
  const out: string[] = [];
  const waiting: PendingPair[] = [{ value: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('literal' in next) {
      out.push(next.literal);
      continue;
    }
    const { value } = next;
    if (typeof value !== 'object' || value === null) {
      out.push(JSON.stringify(value) ?? 'null');
      continue;
    }
    const list = Array.isArray(value);
    const members = Object.entries(value).filter(([, each]) => list || each !== undefined);
    if (!list) members.sort(([one], [other]) => (one < other ? -1 : 1));
    out.push(list ? '[' : '{');
    waiting.push({ literal: list ? ']' : '}' });
    for (const [key, each] of members.reverse()) {
      waiting.push({ literal: ',' }, { value: each });
      if (!list) waiting.push({ literal: `${JSON.stringify(key)}:` });
    }
  }
  return out.join('');
}
