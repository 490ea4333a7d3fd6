// Writes conversations for reading: the active branch, or the whole tree with an outline of its branches.
import type { Block, Node } from '@coppice/core';
import { isText } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import { blockDefinitionOf } from '../../blocks/index.ts';
import { hasOwnBytes } from '../../blocks/source.ts';
import { buildMessagePreview, type ExportBranch, formatSpeaker, listExportBranches } from '../branches.ts';
import { defineFormat, type ExportedTree, type WriteEvent, type WriteOptions } from '../contract.ts';
import { buildLossEvent, findExportedPath, getConversationTimes, summarizeBookmarkLosses } from '../exporting.ts';
import { formatIsoTime } from '../fields.ts';

/** Wraps text in a fence that is longer than any fence in the text. */
function fencedBlock(text: string, language = ''): string {
  let longest = 2;
  for (const run of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}

/** Closes an unclosed code block, which would otherwise include everything after it. */
function closeFence(text: string): string {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === null) open = fence;
    else if (fence.startsWith(open) && line.trim() === fence) open = null;
  }
  return open === null ? text : `${text}\n${open}`;
}

function blockText(block: Block, role: Node['role']): string {
  if (isText(block)) return role === 'tool' ? fencedBlock(block.text) : closeFence(block.text);
  if (block.type === 'thinking' && 'thinking' in block) {
    const text = String(block.thinking);
    return text === '' ? '' : `<details><summary>Reasoning</summary>\n\n${closeFence(text)}\n\n</details>`;
  }
  if (block.type === 'tool-use' && 'name' in block && 'parameters' in block)
    return `Calls \`${String(block.name)}\`:\n\n${fencedBlock(JSON.stringify(block.parameters, null, 2), 'json')}`;
  const source = 'source' in block ? block.source : undefined;
  if (block.type === 'image' && isFieldMap(source) && 'url' in source)
    return `![image](<${String(source.url).replace(/[<>\n]/g, '')}>)`;
  if (block.type === 'file' && isFieldMap(source) && 'text' in source && 'name' in block)
    return `Attached: ${String(block.name)}\n\n${fencedBlock(String(source.text))}`;
  return blockDefinitionOf(block).toText(block);
}

function markdownMessage(node: Node, heading: string): string {
  const said = (node.message?.content ?? []).map((block) => blockText(block, node.role)).filter((one) => one !== '');
  const note = node.status === 'success' ? '' : ` · ${node.status}`;
  return `${heading} ${formatSpeaker(node)}${note}\n\n${said.join('\n\n')}\n\n`;
}

const isShownInMarkdown = (node: Node) => node.kind !== 'state';

function branchTitle({ number, nodes }: ExportBranch): string {
  return `Branch ${number}: ${buildMessagePreview(nodes.find(isShownInMarkdown)?.message ?? null, 60).replace(/[[\]<>`*_#]/g, ' ')}`;
}

function* branchOutline(branches: readonly ExportBranch[]): Generator<string> {
  yield '## Outline\n\n';
  for (const branch of branches) {
    const shown = branch.nodes.filter(isShownInMarkdown).length;
    const indent = '  '.repeat(Math.min(branch.depth, 20));
    yield `${indent}- [${branchTitle(branch)}](#branch-${branch.number}) (${shown})${branch.current ? ' ←' : ''}\n`;
  }
  yield '\n';
}

function* markdownLosses(tree: ExportedTree): Generator<WriteEvent> {
  yield buildLossEvent(tree, null, 'notes', 'Ids, times, token usage, parameters and metadata are left out.');
  for (const node of tree.nodes)
    if (node.message?.content.some(hasOwnBytes) === true)
      yield buildLossEvent(tree, node, 'attachments', 'Only the name of an attachment is written, not its bytes.');
  yield* summarizeBookmarkLosses(tree);
}

function* treeText(tree: ExportedTree, nodes: readonly Node[], branches: readonly ExportBranch[]): Generator<string> {
  const { title, autoTitle, systemPrompt } = tree.attributes;
  yield `# ${(title ?? autoTitle ?? 'Conversation').replace(/\s+/g, ' ')}\n\n`;
  yield `${formatIsoTime(getConversationTimes(tree).createdAt).slice(0, 10)} · ${nodes.filter(isShownInMarkdown).length} messages\n\n`;
  if (systemPrompt !== undefined && systemPrompt !== '')
    yield `> **System prompt**\n>\n${systemPrompt
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n')}\n\n`;
  if (branches.length <= 1) {
    for (const node of nodes) if (isShownInMarkdown(node)) yield markdownMessage(node, '##');
    return;
  }
  yield* branchOutline(branches);
  for (const branch of branches) {
    const from = branch.from === 0 ? '' : ` (from [branch ${branch.from}](#branch-${branch.from}))`;
    yield `## <a id="branch-${branch.number}"></a>${branchTitle(branch)}${from}\n\n`;
    for (const node of branch.nodes) if (isShownInMarkdown(node)) yield markdownMessage(node, '###');
  }
}

async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const tree of trees) {
    const thread = options.thread === true;
    const nodes = thread ? findExportedPath(tree) : tree.nodes;
    yield { type: 'file', name: `${tree.treeId}.md`, mediaType: 'text/markdown' };
    for (const text of treeText(tree, nodes, thread ? [] : listExportBranches(tree))) yield { type: 'text', text };
    const written = nodes.filter(isShownInMarkdown).length;
    const left = tree.nodes.length - written;
    if (thread && tree.nodes.length > nodes.length)
      yield buildLossEvent(
        tree,
        null,
        'branches',
        `${tree.nodes.length - nodes.length} messages off the current thread are left out.`,
      );
    if (nodes.length > written)
      yield buildLossEvent(tree, null, 'markers', `${nodes.length - written} markers are left out.`);
    yield* markdownLosses(tree);
    yield { type: 'count', written, left };
  }
}

/** Exports each tree as one Markdown file for reading. */
export const markdown = defineFormat({
  name: 'markdown',
  label: 'Markdown',
  summary: 'A page to read per conversation: its thread, or all branches with an outline.',
  writer: {
    extension: 'md',
    mediaType: 'text/markdown',
    files: 'per-tree',
    loses: {
      notes: 'Ids, times, token usage, parameters and metadata are left out.',
      attachments: 'Bytes of attachments are left out.',
      bookmarks: 'Bookmarks are left out.',
      branches: 'Other branches are left out if only the active branch is exported.',
      markers: 'State of extensions is left out.',
    },
    write,
  },
});
