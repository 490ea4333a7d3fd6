import { type CreateCommand, readTree, refuse, run, textMessage, treeId } from '@coppice/core';
import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { readInputText } from '../../input-text.ts';
import { findNodeInTree, findTree } from '../../resolve-target.ts';
import { isMessageRole } from '../../roles.ts';
import { shortenId } from '../../short-ids.ts';
import { findPreviousActiveNode, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand, type SubcommandOutput } from '../contract.ts';

export const append = defineSubcommand({
  name: 'append',
  summary: 'add a message to a chat',
  group: 'Write',
  begins: true,
  arguments: [
    { ...chatArgument, summary: `${chatArgument.summary}; leave out with --new`, optional: true },
    { name: 'words', summary: 'message text (default: standard input)', optional: true, many: true },
  ],
  options: [
    { name: 'new', summary: 'start a new chat' },
    { name: 'title', value: 'text', summary: 'title of the new chat' },
    { name: 'system', value: 'text', summary: 'system prompt of the new chat' },
    {
      name: 'parent',
      value: 'message',
      summary: 'add it below this message (default: the active one)',
      completes: 'node',
    },
    {
      name: 'role',
      value: 'role',
      summary: 'author: user (default), assistant or system',
      completes: ['user', 'assistant', 'system'],
    },
    { name: 'id', value: 'uuid', summary: 'id of the new message; the same id is added only once' },
    { name: 'stay', summary: 'do not move to the new message' },
  ],
  examples: [
    'coppice append --new --title Bread "How do I start a sourdough?"',
    'coppice append last "And how do I keep it?"',
    'echo "A question from a pipe" | coppice append last',
  ],
  async run(given, at) {
    const role = given.optional('role') ?? 'user';
    if (!isMessageRole(role) || role === 'tool')
      throw makeUsageError(`--role is user, assistant or system, not ${role}.`);
    const fresh = given.flag('new');
    const word = given.optional('chat');
    if (!fresh && word === undefined) throw makeUsageError('No chat named. Name one, or start one with --new.');
    const [title, systemPrompt, id, parent] = ['title', 'system', 'id', 'parent'].map(given.optional);
    if (fresh && parent !== undefined) throw makeUsageError('--parent needs an existing chat; leave out --new.');
    if (!fresh && (title !== undefined || systemPrompt !== undefined))
      throw makeUsageError('--title and --system set up a new chat; add --new.');
    const text = await readInputText([...(fresh && word !== undefined ? [word] : []), ...given.many('words')], at);
    // Core skips blank messages silently, but a user who appends one, for example from an empty pipe, must get an
    // error.
    if (!fresh && text.trim() === '') return refuse('message/blank', 'The message is empty.');
    const store = await at.store();
    const context = at.context();
    const row = fresh || word === undefined ? null : await findTree(at, word);
    const tree = row?.id ?? treeId(context.newId());
    const actId = context.newId();
    const messages = [{ message: textMessage(role, text), ...(id === undefined ? {} : { id }) }];
    if (row === null) {
      const attributes = {
        ...(title === undefined ? {} : { title }),
        ...(systemPrompt === undefined ? {} : { systemPrompt }),
      };
      return appendToNewTree({ type: 'create', treeId: tree, attributes, messages }, actId, at);
    }
    const outcome = await run(
      store,
      {
        type: 'append',
        treeId: tree,
        messages,
        select: !given.flag('stay'),
        ...(parent === undefined ? {} : { parentId: await findNodeInTree(at, row, parent) }),
      },
      { ...context, actId },
    );
    const { nodeId } = outcome.result;
    const isThere = findPreviousActiveNode(outcome) !== null;
    return toChangeOutput(
      outcome,
      isThere
        ? `This message already exists; you are at ${shortenId(nodeId)}.`
        : `Added ${shortenId(nodeId)} to ${shortenId(tree)}.`,
      at,
    );
  },
});

/** Creates a tree together with its messages, so that a refused message leaves no empty tree. */
async function appendToNewTree(command: CreateCommand, actId: string, at: CliContext): Promise<SubcommandOutput> {
  const { treeId: tree } = command;
  const store = await at.store();
  const { result, ...made } = await run(store, command, { ...at.context(), actId });
  const { added = [], reused = [] } = result;
  const nodeId = added.at(-1) ?? reused.at(-1);
  if (nodeId !== undefined)
    return toChangeOutput(
      { ...made, result: { nodeId, added, reused } },
      `Added ${shortenId(nodeId)} to ${shortenId(tree)}.`,
      at,
    );
  const { rootId } = await store.read(tree, () => readTree(tree));
  return {
    data: { treeId: tree, version: made.version, actId, changed: true, nodeId: rootId, added, reused },
    lines: [`Started ${tree}; it has no messages yet.`],
  };
}
