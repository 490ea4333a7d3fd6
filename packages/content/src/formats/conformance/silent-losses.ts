/**
 * Checks that a format restores every feature of a tree or reports it as lost. Builds a tree with one of each feature
 * and examines the result.
 */
import { type Block, isText, type Message, type NodeId, run, textMessage, treeId } from '@coppice/core';
import { createTestClock, ReferenceStore } from '@coppice/core/testing';
import { messageKit } from '../../kit.ts';
import type { RepairedNode, RepairedTree } from '../repair.ts';
import type { StoredImport } from './storing.ts';

const title = 'Trees';
const systemPrompt = 'Be brief.\nSpeak of trees alone.';
const bookmark = 'Age of the oak';
const thinking = 'The rings tell.\nCount them.';
const signature = 'c2lnbmF0dXJl';
const call = { type: 'tool-use', id: 'call_1', name: 'lookup', parameters: { tree: 'ash', deep: { years: [1, 2] } } };
const said = {
  question: 'How old is the oak?',
  // The text has several lines: a blank one, indented ones, and one that looks like a speaker's name or a quote.
  answer: 'Three hundred years.\n\n  1. fell it\n  2. count\nIT: > **rings**\n```\nlet a = 1;\n```',
  aside: 'Who says so?\nA book?',
  other: 'The rings.',
  next: 'And the ash?',
  looking: 'Let me look.',
  result: 'Half of that.\nGive or take.',
  last: 'Half of that.',
};

const text = (words: string) => ({ type: 'text', text: words });
const reasoning = { type: 'thinking', thinking, signature };

/** Builds a tree with every feature of conversations: see {@link facts}. */
export async function buildRichTree(): Promise<Pick<StoredImport, 'store' | 'ids' | 'names'>> {
  const store = new ReferenceStore();
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  const id = treeId('00000000-0000-7000-8000-00000000abd0');
  await run(store, { type: 'create', treeId: id, attributes: { title, systemPrompt } }, act);
  const append = async (parentId: NodeId | undefined, ...messages: readonly Message[]) => {
    const list = messages.map((message) => ({ message }));
    const { result } = await run(
      store,
      { type: 'append', treeId: id, messages: list, ...(parentId === undefined ? {} : { parentId }) },
      act,
    );
    return result.nodeId;
  };
  const reasoned: Message = {
    role: 'assistant',
    content: [reasoning, text(said.answer)],
  };
  const answered = await append(undefined, textMessage('user', said.question), reasoned);
  await append(answered, textMessage('user', said.aside), textMessage('assistant', said.other));
  await append(
    answered,
    textMessage('user', said.next),
    { role: 'assistant', content: [text(said.looking), call] },
    { role: 'tool', tool_call_id: call.id, content: [text(said.result)] },
    textMessage('assistant', said.last),
  );
  await run(store, { type: 'bookmark', treeId: id, nodeId: answered, title: bookmark }, act);
  return { store, ids: [id], names: [] };
}

function textOf({ message }: RepairedNode): string {
  return message.content.map((block) => (isText(block) ? block.text : '')).join('');
}

function isReasoning({ message }: RepairedNode): boolean {
  return message.content.length > 0 && message.content.every((block) => block.type === 'thinking');
}

/** The tree that came back from an export and import, with functions that find its nodes. */
class Returned {
  readonly tree: RepairedTree;
  readonly #byId: ReadonlyMap<string, RepairedNode>;

  constructor(tree: RepairedTree) {
    this.tree = tree;
    this.#byId = new Map(tree.nodes.map((node) => [node.externalId, node]));
  }

  /** Returns the node with a role and exactly this text, directly below the given node. */
  find(role: Message['role'], words: string, below?: RepairedNode): RepairedNode | undefined {
    return this.tree.nodes.find(
      (node) =>
        node.message.role === role && textOf(node) === words && (below === undefined || this.#above(node) === below),
    );
  }

  /**
   * Returns the nearest message above. Markers and messages with only reasoning are skipped, because some formats store
   * these separately.
   */
  #above(node: RepairedNode): RepairedNode | undefined {
    let at = this.#byId.get(node.parentExternalId ?? '');
    while (at !== undefined && (at.kind === 'state' || isReasoning(at))) at = this.#byId.get(at.parentExternalId ?? '');
    return at;
  }

  /** Whether a node is the given first node or its child. */
  follows(node: RepairedNode | undefined, first: RepairedNode): boolean {
    return node !== undefined && (node === first || this.#above(node) === first);
  }

  get answer(): RepairedNode | undefined {
    const asked = this.find('user', said.question);
    return asked === undefined ? undefined : this.find('assistant', said.answer, asked);
  }

  get call(): { readonly node: RepairedNode; readonly id: string } | undefined {
    for (const node of this.tree.nodes)
      for (const block of node.message.content)
        if (block.type === 'tool-use' && 'name' in block && block.name === call.name && 'id' in block)
          if ('parameters' in block && JSON.stringify(block.parameters) === JSON.stringify(call.parameters))
            return { node, id: String(block.id) };
    return undefined;
  }

  get result(): RepairedNode | undefined {
    return this.tree.nodes.find(
      (node) =>
        node.message.role === 'tool' && textOf(node) === said.result && node.message.tool_call_id === this.call?.id,
    );
  }

  thought(wanted: (block: Block) => boolean): boolean {
    const { answer } = this;
    const before = this.#byId.get(answer?.parentExternalId ?? '');
    const blocks = [...(answer?.message.content ?? []), ...(before?.message.content ?? [])];
    return blocks.some((block) => block.type === 'thinking' && wanted(block));
  }
}

/** One feature of the tree. */
interface Fact {
  readonly name: string;
  /**
   * The loss codes with which a writer may report that it does not write the feature; empty if every format must
   * restore it.
   */
  readonly losses: readonly string[];
  readonly holds: (returned: Returned) => boolean;
  /** The words that a write-only format must show. */
  readonly shown?: string;
  /** The words of the feature in a file; by default those that are shown. */
  readonly written?: string;
}

const facts: readonly Fact[] = [
  {
    name: 'title',
    losses: ['title', 'attributes'],
    holds: ({ tree }) => (tree.title ?? tree.attributes?.title) === title,
    shown: title,
  },
  {
    name: 'system prompt',
    losses: ['system-prompt'],
    holds: ({ tree }) => (tree.systemPrompt ?? tree.attributes?.systemPrompt) === systemPrompt,
    shown: systemPrompt,
  },
  {
    name: 'bookmark',
    losses: ['bookmarks'],
    holds: ({ answer }) =>
      (typeof answer?.bookmark === 'string' ? answer.bookmark : answer?.bookmark?.title) === bookmark,
    shown: bookmark,
  },
  { name: 'text of several lines', losses: [], holds: ({ answer }) => answer !== undefined, shown: said.answer },
  {
    name: 'branch off the current thread',
    losses: ['branches'],
    holds: (returned) => {
      const aside = returned.answer && returned.find('user', said.aside, returned.answer);
      return aside !== undefined && returned.find('assistant', said.other, aside) !== undefined;
    },
    shown: said.aside,
  },
  {
    name: 'order of branches',
    losses: ['branches', 'order'],
    holds: (returned) => {
      const [aside, next] = [returned.find('user', said.aside), returned.find('user', said.next)];
      return aside !== undefined && next !== undefined && aside.order < next.order;
    },
  },
  {
    name: 'reasoning',
    losses: ['thinking'],
    holds: (returned) => returned.thought((block) => 'thinking' in block && block.thinking === thinking),
    shown: thinking,
  },
  {
    name: 'signature of reasoning',
    losses: ['thinking'],
    holds: (returned) => returned.thought((block) => 'signature' in block && block.signature === signature),
    written: signature,
  },
  {
    name: 'tool call with its arguments',
    losses: ['tools'],
    holds: (returned) => {
      const asked = returned.answer && returned.find('user', said.next, returned.answer);
      const looking = asked && returned.find('assistant', said.looking, asked);
      return looking !== undefined && returned.follows(returned.call?.node, looking);
    },
    shown: call.name,
  },
  { name: 'id of the tool call', losses: ['call-ids', 'tools'], holds: (returned) => returned.call?.id === call.id },
  {
    name: 'tool result with its call',
    losses: ['tools'],
    holds: ({ result }) => result !== undefined,
    shown: said.result,
  },
  {
    name: 'reply after the tool',
    losses: [],
    holds: (returned) => {
      const last = returned.find('assistant', said.last, returned.result);
      return last !== undefined && (returned.result !== undefined || returned.tree.nodes.includes(last));
    },
    shown: said.last,
  },
  {
    name: 'current message',
    losses: ['active'],
    holds: (returned) => {
      const last = returned.find('assistant', said.last);
      return last !== undefined && returned.tree.activeExternalId === last.externalId;
    },
  },
];

/**
 * Returns the features that were neither restored nor reported as lost. A reported loss does not excuse a feature that
 * is in the files, because then the reader lost it.
 */
export function findSilentLosses(
  again: readonly RepairedTree[],
  reported: readonly string[],
  files: Iterable<string>,
): string[] {
  const [tree] = again;
  if (tree === undefined || again.length > 1) return [`one tree: ${again.length} came back`];
  const returned = new Returned(tree);
  const texts = [...files].join('\n');
  const isWritten = (words: string | undefined) =>
    words !== undefined && texts.includes(JSON.stringify(words).slice(1, -1));
  return facts
    .filter(
      ({ losses, holds, shown, written = shown }) =>
        !holds(returned) && (isWritten(written) || !losses.some((what) => reported.includes(what))),
    )
    .map(({ name }) => name);
}

const named: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Returns a page's text with its character references resolved. */
function decodeEntities(page: string): string {
  return page.replace(/&(?:#(\d+)|([a-z]+));/g, (whole, code: string | undefined, name: string | undefined) =>
    code === undefined ? (named[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  );
}

/**
 * Like {@link findSilentLosses}, but for a write-only format. Returns the names of the facts whose words are not in the
 * files, and whose loss was not reported.
 */
export function findUnshownFacts(files: Iterable<string>, reported: readonly string[]): string[] {
  const shown = decodeEntities([...files].join('\n'));
  return facts
    .filter(({ shown: words = '', losses }) => {
      // Fences are markup, which a page shows in another form.
      const lines = words.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('```'));
      return !lines.every((line) => shown.includes(line.trim())) && !losses.some((what) => reported.includes(what));
    })
    .map(({ name }) => name);
}
