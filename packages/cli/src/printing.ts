/** Formats trees, nodes and changes for a terminal. */
import {
  type Node,
  type NodeId,
  type OutlineLine,
  type OutlineShape,
  type TopologyNode,
  type TreeRow,
  textOf,
} from '@coppice/core';
import { fieldsOrEmpty, getText } from '@coppice/core/decode';
import { outlineOf } from '@coppice/core/tree';
import type { OutputWriter } from './output.ts';
import { createIdShortener, shortenId } from './short-ids.ts';
import { toOneLine } from './terminal/strip-control-sequences.ts';
import { truncateWithEllipsis, widthOf } from './terminal/width.ts';
import { wrapLines, wrapMarkdown } from './terminal/wrap.ts';
import { formatCountedNoun } from './tree-changes.ts';

/** Formats a time in the local time zone. */
export function formatLocalTime(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns the title of a tree, or a placeholder if it has none. */
export function titleOrUntitled(row: Pick<TreeRow, 'attributes'>): string {
  return row.attributes.title ?? row.attributes.autoTitle ?? 'Untitled';
}

/** The optional columns of a line in a tree list. */
export interface TreeListColumns {
  readonly messages: string;
  readonly branches: string;
  readonly model: string;
}

/** Returns the headings of a tree list; null if lines are too narrow for columns. */
export function formatTreeListHeading({ style, columns }: OutputWriter): string | null {
  const figures = figureColumns({ messages: 'MSGS', branches: 'BR', model: 'MODEL' }, columns);
  return figures === null ? null : style.quiet(`${'ID'.padEnd(8)}  ${'UPDATED'.padEnd(16)}  ${figures}  TITLE`);
}

// At 80 columns the title needs the space more than the model's name.
const columnsForFigures = 72;
const columnsForModel = 100;

function figureColumns({ messages, branches, model }: TreeListColumns, columns: number): string | null {
  if (columns < columnsForFigures) return null;
  const counts = `${messages.padStart(6)}  ${branches.padStart(3)}`;
  const name = toOneLine(model, 16);
  return columns < columnsForModel ? counts : `${counts}  ${name}${' '.repeat(16 - widthOf(name))}`;
}

/** Returns the line of a tree in a list, with the optional columns if they are given. */
export function formatTreeLine(
  row: TreeRow,
  output: OutputWriter,
  id = shortenId(row.id),
  figures?: TreeListColumns,
): string {
  const marks = [
    row.attributes.pinned === true ? 'pinned' : '',
    row.attributes.folder ?? '',
    ...(row.attributes.tags ?? []),
  ];
  const beside = marks
    .filter((mark) => mark !== '')
    .map((mark) => toOneLine(mark, 24))
    .join(', ');
  const about = figures === undefined ? null : figureColumns(figures, output.columns);
  return formatListItem(
    id,
    about === null ? formatLocalTime(row.updatedAt) : `${formatLocalTime(row.updatedAt)}  ${about}`,
    titleOrUntitled(row),
    beside === '' ? '' : `  (${beside})`,
    output,
  );
}

const leastText = 20;

/**
 * Returns a list item: id, description, text, and an ending. If the item is longer than a line, the text continues
 * below the id, because a terminal would break the line anywhere.
 */
export function formatListItem(
  id: string,
  about: string,
  text: string,
  after: string,
  { style, columns }: OutputWriter,
): string {
  const space = columns - widthOf(id) - widthOf(about) - 4;
  const isBelow = space < leastText;
  const together = widthOf(id) + widthOf(about) + 2 <= columns;
  const rest = isBelow ? columns - 2 - (together ? 0 : widthOf(about) + 2) : space;
  const tail = truncateWithEllipsis(after, rest - leastText);
  const shownText = `${toOneLine(text, rest - widthOf(tail))}${tail === '' ? '' : style.quiet(tail)}`;
  const [first, second] = isBelow ? (together ? ['  ', '\n  '] : ['\n  ', '  ']) : ['  ', '  '];
  return `${style.quiet(id)}${first}${style.quiet(about)}${second}${shownText}`;
}

/** Returns the indentation of a line. If it is too wide, a mark replaces its beginning. */
export function truncateIndentation(indent: string, most: number): string {
  const space = Math.max(4, most);
  return indent.length <= space ? indent : `⋯ ${indent.slice(2 - space)}`;
}

const who: Readonly<Record<string, string>> = { user: 'You', assistant: 'Model', tool: 'Tool', system: 'System' };

/** Returns the name of the model that wrote a reply; null if it is not known, or if the node is no reply. */
export function modelNameOf({ role, meta }: Pick<Node, 'role' | 'meta'>): string | null {
  const name = role === 'assistant' ? meta.source?.['model_name'] : undefined;
  // Recordings and imports write `unknown` where the source has no name.
  return typeof name === 'string' && name !== '' && name !== 'unknown' ? name : null;
}

/** Returns the author of a node: the name of the model if it is known, else the role. */
export function authorNameOf(node: Node): string {
  if (node.kind === 'branch-summary') return 'Merged branch';
  if (node.kind === 'compaction') return 'Summary';
  return modelNameOf(node) ?? who[node.role] ?? node.role;
}

/** Returns the text of a message, with other blocks named in brackets. */
export function formatMessageText(node: Node): string {
  if (node.message === null) return '';
  const parts: string[] = [];
  for (const block of node.message.content) {
    if (block.type === 'text') parts.push(textOf({ role: 'user', content: [block] }));
    else if (block.type === 'tool-use') parts.push(`[calls ${'name' in block ? String(block.name) : 'a tool'}]`);
    else parts.push(`[${block.type}]`);
  }
  return parts.join('\n');
}

/** Returns why a reply failed; null if it did not fail. */
export function failureReasonOf({ status, meta }: Node): string | null {
  return status === 'error' || status === 'interrupted'
    ? (getText(fieldsOrEmpty(meta['error']), 'message') ?? null)
    : null;
}

/** Returns a text of models or users for display; on a terminal it is wrapped between words. */
function wrapMessageText(text: string, { foreign, screen }: OutputWriter): string {
  return screen === null ? foreign(text) : wrapMarkdown(foreign(text), screen);
}

/** Returns a name and its id, on two lines if they do not fit on one. */
function headingLines(name: string, id: string, { style, screen, columns }: OutputWriter): string {
  const lines = screen === null ? [name] : wrapLines(name, screen).map((line) => line.trimEnd());
  const gap = widthOf(lines.at(-1) ?? '') + 2 + id.length > columns ? '\n' : '  ';
  return `${lines.join('\n')}${gap}${style.quiet(id)}`;
}

/** Returns the heading of a tree. */
export function formatTreeHeading(row: TreeRow, output: OutputWriter): string {
  return headingLines(output.style.strong(output.foreign(titleOrUntitled(row))), shortenId(row.id), output);
}

/** Returns a node with its whole text, and an empty line below. */
export function formatNode(
  node: Node,
  place: string,
  output: OutputWriter,
  render: (text: string) => string = (text) => wrapMessageText(text, output),
): string {
  const { style } = output;
  const status = node.status === 'success' ? '' : style.warn(` ${node.status}`);
  const variant = place === '' ? '' : style.quiet(` ${place}`);
  const head = headingLines(
    `${style.strong(toOneLine(authorNameOf(node), 40))}${variant}${status}`,
    shortenId(node.id),
    output,
  );
  const reason = failureReasonOf(node);
  const text = formatMessageText(node);
  const parts = [
    ...(text === '' && reason !== null ? [] : [render(text)]),
    ...(reason === null ? [] : [style.warn(wrapMessageText(reason, output))]),
  ];
  return `${head}\n${parts.join('\n')}\n\n`;
}

/** What part of a tree is drawn, and how. */
export interface TreeDrawingOptions {
  readonly shape: OutlineShape;
  /** The active node; the path to it is highlighted. */
  readonly current: NodeId | null;
  /** Hides the middle of long runs without forks. */
  readonly fold?: boolean;
  /** The largest number of lines. */
  readonly limit?: number;
}

/** The lines of a drawing, and the number of lines that were left out. */
export interface TreeDrawing {
  readonly lines: readonly OutlineLine[];
  readonly left: number;
  /** The number of messages that are hidden between the lines. */
  readonly folded: number;
}

/** Chooses the lines of a drawing. */
export function chooseTreeLines({ shape, current, fold, limit }: TreeDrawingOptions): TreeDrawing {
  const { lines, left } = outlineOf(shape, {
    current,
    shows: () => true,
    fold: fold === true ? 1 : null,
    branches: 'all',
    limit: limit ?? Number.POSITIVE_INFINITY,
  });
  let folded = 0;
  for (const line of lines) folded += line.folded;
  return { lines, left, folded };
}

/**
 * Draws a tree, one node per line. A chain stays in its column and only forks indent, so that a thread of ten thousand
 * messages is a straight line. `rows` has the contents of nodes whose lines have none.
 */
export function* drawTree(
  lines: readonly OutlineLine[],
  output: OutputWriter,
  rows?: ReadonlyMap<NodeId, TopologyNode>,
): Generator<string> {
  // For each depth: the vertical line that is drawn if further siblings follow.
  const rails: string[] = [];
  const short = createIdShortener(lines.map(({ node }) => node.id));
  for (const { node, depth, forked, last, folded, onPath, current } of lines) {
    rails.length = depth;
    if (forked) rails[depth - 1] = last ? '  ' : '│ ';
    const indent = truncateIndentation(rails.slice(0, forked ? depth - 1 : depth).join(''), output.columns - 40);
    const stem = `${indent}${forked ? (last ? '└─' : '├─') : ''}`;
    if (folded > 0) yield output.style.quiet(`${indent}⋮ ${formatCountedNoun(folded, 'message')}`);
    // The node is marked by text too, because output without colours has no other mark.
    const mark = current ? ' ← here' : '';
    const line = printNodeLine(rows?.get(node.id) ?? node, onPath, output, widthOf(stem + mark), short);
    yield `${output.style.quiet(stem)}${line}${output.style.active(mark)}`;
  }
}

const marks: Readonly<Record<string, string>> = { user: '●', assistant: '○', tool: '▪', system: '■' };

function printNodeLine(
  node: TopologyNode,
  active: boolean,
  output: OutputWriter,
  taken: number,
  short: (id: string) => string,
): string {
  const { style } = output;
  const mark = node.kind === 'message' ? (marks[node.role] ?? '·') : '▬';
  const status = node.status === 'success' ? '' : ` ${node.status}`;
  const id = ` ${short(node.id)}`;
  const text = toOneLine(node.preview, Math.max(8, output.columns - taken - widthOf(`${mark} ${status}${id}`)));
  return `${active ? style.active(mark) : mark} ${active ? text : style.quiet(text)}${style.warn(status)}${style.quiet(id)}`;
}

/** Returns the first words of a node after a prefix, on one line. */
export function formatPreviewLine(before: string, node: Pick<Node, 'text' | 'meta'>, output: OutputWriter): string {
  return `${before}${toOneLine(node.meta.title ?? node.text, Math.max(8, output.columns - widthOf(before)))}`;
}
