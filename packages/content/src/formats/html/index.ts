// Writes a conversation as one offline page, with the active branch and the tree for navigation.
import type { Block, Node } from '@coppice/core';
import { isText } from '@coppice/core';
import { toBase64 } from '../../base64.ts';
import { blockDefinitionOf } from '../../blocks/index.ts';
import { byteSourceOf, hasOwnBytes, mediaTypeOf } from '../../blocks/source.ts';
import { buildMessagePreview, type ExportBranch, formatSpeaker, listExportBranches } from '../branches.ts';
import { defineFormat, type ExportedTree, type WriteEvent, type WriteOptions } from '../contract.ts';
import {
  buildLossEvent,
  findExportedPath,
  getConversationTimes,
  groupExportedNodesByParent,
  summarizeBookmarkLosses,
} from '../exporting.ts';
import { formatIsoTime } from '../fields.ts';
import { buildContentSecurityPolicy, escapeHtml, pageScript, pageStyle } from './page.ts';

const isShownInHtml = (node: Node) => node.kind !== 'state';

/** Converts Markdown with code fences to HTML; everything except the fences is escaped text. */
function textHtml(text: string): string {
  const parts: string[] = [];
  let rest = text;
  for (
    let open = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/m.exec(rest);
    open !== null;
    open = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/m.exec(rest)
  ) {
    const [line, fence = '```'] = open;
    const before = rest.slice(0, open.index);
    if (before.trim() !== '') parts.push(`<p>${escapeHtml(before.trim())}</p>`);
    const after = rest.slice(open.index + line.length);
    const end = after.search(new RegExp(`^ {0,3}${fence[0] === '`' ? '`' : '~'}{${fence.length},}\\s*$`, 'm'));
    const code = end === -1 ? after : after.slice(0, end);
    parts.push(`<pre>${escapeHtml(code.replace(/\n$/, ''))}</pre>`);
    const next = end === -1 ? -1 : after.indexOf('\n', end);
    rest = end === -1 || next === -1 ? '' : after.slice(next + 1);
  }
  if (rest.trim() !== '') parts.push(`<p>${escapeHtml(rest.trim())}</p>`);
  return parts.join('\n');
}

// Image types that cannot contain scripts.
const harmless: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

async function pictureHtml(block: Block, options: WriteOptions): Promise<string | undefined> {
  const mediaType = mediaTypeOf(block)?.toLowerCase() ?? '';
  const source = byteSourceOf(block);
  if (block.type !== 'image' || !harmless.has(mediaType)) return undefined;
  let data = source?.type === 'base64' ? source.data : undefined;
  if (source?.type === 'blob') {
    const bytes = await options.blob?.(source.hash);
    if (bytes != null) data = toBase64(bytes);
  }
  return data === undefined ? undefined : `<img alt="" src="data:${mediaType};base64,${escapeHtml(data)}">`;
}

async function blockHtml(block: Block, role: Node['role'], options: WriteOptions): Promise<string> {
  if (isText(block)) return role === 'tool' ? `<pre>${escapeHtml(block.text)}</pre>` : textHtml(block.text);
  if (block.type === 'thinking' && 'thinking' in block) {
    const text = String(block.thinking);
    return text === '' ? '' : `<details><summary>Reasoning</summary>${textHtml(text)}</details>`;
  }
  if (block.type === 'tool-use' && 'name' in block && 'parameters' in block)
    return `<details open><summary>Calls ${escapeHtml(String(block.name))}</summary><pre>${escapeHtml(JSON.stringify(block.parameters, null, 2))}</pre></details>`;
  return (await pictureHtml(block, options)) ?? `<p>${escapeHtml(blockDefinitionOf(block).toText(block))}</p>`;
}

class HtmlPage {
  readonly #options: WriteOptions;
  readonly #names = new Map<string, string>();
  readonly #places = new Map<string, { readonly at: number; readonly family: readonly Node[] }>();

  constructor(tree: ExportedTree, options: WriteOptions) {
    this.#options = options;
    for (const family of groupExportedNodesByParent(tree).values())
      for (const [at, node] of family.entries()) this.#places.set(node.id, { at, family });
    for (const [index, node] of tree.nodes.entries()) this.#names.set(node.id, `m${index + 1}`);
  }

  nameOf(id: string | null): string {
    return (id === null ? undefined : this.#names.get(id)) ?? '';
  }

  /** Returns the links to the other variants, such as ‹ 2/3 ›; empty if there is only one variant. */
  #variants(node: Node): string {
    const { at, family } = this.#places.get(node.id) ?? { at: 0, family: [] };
    if (family.length < 2) return '';
    const link = (index: number, mark: string, says: string) => {
      const other = family[(index + family.length) % family.length];
      return `<a href="#${this.nameOf(other?.id ?? null)}" title="${says}">${mark}</a>`;
    };
    return `<span>${link(at - 1, '‹', 'Previous variant')} ${at + 1}/${family.length} ${link(at + 1, '›', 'Next variant')}</span>`;
  }

  async message(node: Node): Promise<string> {
    const parts: string[] = [];
    for (const block of node.message?.content ?? []) parts.push(await blockHtml(block, node.role, this.#options));
    const note = node.status === 'success' ? '' : ` · ${node.status}`;
    const at = formatIsoTime(node.createdAt);
    // A marker is not shown, but is still part of the path.
    const empty = isShownInHtml(node) ? '' : ' class="marker"';
    const head = isShownInHtml(node)
      ? `<header><span>${escapeHtml(formatSpeaker(node))}${note}</span><time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time>${this.#variants(node)}</header>\n<div>${parts.join('\n')}</div>`
      : '';
    const role = isShownInHtml(node) ? ` class="${node.role}"` : empty;
    return `<article id="${this.nameOf(node.id)}" data-parent="${this.nameOf(node.parentId)}"${role}>${head}</article>\n`;
  }

  /** Returns the outline as nested lists. The indentation stops at a dozen levels. */
  *outline(branches: readonly ExportBranch[]): Generator<string> {
    let level = -1;
    for (const { depth, nodes } of branches) {
      const wanted = Math.min(depth, 12);
      if (wanted > level) yield '<ul>'.repeat(wanted - level);
      else yield `</li>${'</ul></li>'.repeat(level - wanted)}`;
      level = wanted;
      const first = nodes.find(isShownInHtml) ?? nodes[0];
      const count = nodes.filter(isShownInHtml).length;
      const name = this.nameOf(nodes[0]?.id ?? null);
      yield `<li><a href="#${name}">${escapeHtml(buildMessagePreview(first?.message ?? null, 60))} <small>${count}</small></a>\n`;
    }
    if (level >= 0) yield '</li></ul>'.repeat(level + 1);
  }
}

async function* htmlPage(tree: ExportedTree, options: WriteOptions): AsyncGenerator<string> {
  const page = new HtmlPage(tree, options);
  const { title, autoTitle, systemPrompt } = tree.attributes;
  const shown = escapeHtml(title ?? autoTitle ?? 'Conversation');
  const leaf = page.nameOf(findExportedPath(tree).at(-1)?.id ?? null);
  yield `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${escapeHtml(buildContentSecurityPolicy())}">\n<meta name="viewport" content="width=device-width,initial-scale=1">\n<title>${shown}</title>\n<style>${pageStyle}</style>\n</head>\n<body data-leaf="${leaf}">\n<nav aria-label="Branches">\n`;
  for (const text of page.outline(listExportBranches(tree))) yield text;
  yield `</nav>\n<main>\n<h1>${shown}</h1>\n<p class="about">${formatIsoTime(getConversationTimes(tree).createdAt).slice(0, 10)} · ${tree.nodes.filter(isShownInHtml).length} messages</p>\n`;
  if (systemPrompt !== undefined && systemPrompt !== '')
    yield `<details><summary>System prompt</summary>${textHtml(systemPrompt)}</details>\n`;
  for (const node of tree.nodes) yield await page.message(node);
  yield `</main>\n<script>${pageScript}</script>\n</body>\n</html>\n`;
}

function* htmlLosses(tree: ExportedTree, options: WriteOptions): Generator<WriteEvent> {
  yield buildLossEvent(tree, null, 'notes', 'Ids, token usage, parameters and metadata are left out.');
  yield* summarizeBookmarkLosses(tree);
  for (const node of tree.nodes) {
    const kept = (block: Block) =>
      block.type === 'image' && (byteSourceOf(block)?.type === 'base64' || options.blob !== undefined);
    if (node.message?.content.some((block) => hasOwnBytes(block) && !kept(block)) === true)
      yield buildLossEvent(tree, node, 'attachments', 'Only the name of a file is written, not its bytes.');
  }
}

async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const whole of trees) {
    const tree = options.thread === true ? { ...whole, nodes: findExportedPath(whole) } : whole;
    yield { type: 'file', name: `${tree.treeId}.html`, mediaType: 'text/html' };
    for await (const text of htmlPage(tree, options)) yield { type: 'text', text };
    const left = whole.nodes.length - tree.nodes.length;
    const markers = tree.nodes.filter((node) => !isShownInHtml(node)).length;
    if (left > 0) yield buildLossEvent(tree, null, 'branches', `${left} messages off the current thread are left out.`);
    if (markers > 0) yield buildLossEvent(tree, null, 'markers', `${markers} markers are left out.`);
    yield* htmlLosses(tree, options);
    yield { type: 'count', written: tree.nodes.length - markers, left: left + markers };
  }
}

/** Exports each tree as one page that any browser opens without a server. */
export const html = defineFormat({
  name: 'html',
  label: 'Web page',
  summary: 'One page per conversation, with its tree beside it, that works without a network.',
  writer: {
    extension: 'html',
    mediaType: 'text/html',
    files: 'per-tree',
    loses: {
      notes: 'Ids, token usage, parameters and metadata are left out.',
      attachments: 'Bytes of files other than pictures are left out.',
      bookmarks: 'Bookmarks are left out.',
      branches: 'Other branches are left out if only the active branch is exported.',
      markers: 'State of extensions is left out.',
    },
    write,
  },
});
