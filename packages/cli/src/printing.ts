/** How trees, nodes and changes look in a terminal. */
import {
  type Node,
  type NodeId,
  type OutlineLine,
  type OutlineShape,
  type TopologyNode,
  type TreeRow,
  textOf,
} from '@coppice/core';
import { outlineOf } from '@coppice/core/tree';
import { countNoun } from './changing.ts';
import type { Output } from './output.ts';
import { oneLine } from './terminal/strip-control-sequences.ts';
import { fitWidth, widthOf } from './terminal/width.ts';
import { readable, wrapped } from './terminal/wrap.ts';

/** The end of an id, enough to name it again: ids that were made in one moment, as variants are, begin alike. */
function shortNodeId(id: string): string {
  return id.slice(-8);
}

/** A time as people read it, in the place's own time zone. */
export function timeText(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What a tree goes by. */
export function titleText(row: Pick<TreeRow, 'attributes'>): string {
  return row.attributes.title ?? row.attributes.autoTitle ?? 'Untitled';
}

/** A tree on one line. */
export function treeLine(row: TreeRow, output: Output): string {
  const marks = [
    row.attributes.pinned === true ? 'pinned' : '',
    row.attributes.folder ?? '',
    ...(row.attributes.tags ?? []),
  ];
  const beside = marks
    .filter((mark) => mark !== '')
    .map((mark) => oneLine(mark, 24))
    .join(', ');
  return printList(row.id, timeText(row.updatedAt), titleText(row), beside === '' ? '' : `  (${beside})`, output);
}

const leastText = 20;

/**
 * Something of a list: its id, what is to be known of it, what it says, and what else there is. Where there is no room
 * for that on one line, it goes on below the id: a terminal would break the line anywhere.
 */
export function printList(id: string, about: string, text: string, after: string, { style, columns }: Output): string {
  const space = columns - widthOf(id) - widthOf(about) - 4;
  const isBelow = space < leastText;
  const together = widthOf(id) + widthOf(about) + 2 <= columns;
  const rest = isBelow ? columns - 2 - (together ? 0 : widthOf(about) + 2) : space;
  const tail = fitWidth(after, rest - leastText);
  const said = `${oneLine(text, rest - widthOf(tail))}${tail === '' ? '' : style.quiet(tail)}`;
  const [first, second] = isBelow ? (together ? ['  ', '\n  '] : ['\n  ', '  ']) : ['  ', '  '];
  return `${style.quiet(id)}${first}${style.quiet(about)}${second}${said}`;
}

/** The indentation of a line, at most so wide: of one that is deeper the end is shown, behind a mark. */
export function indented(indent: string, most: number): string {
  const space = Math.max(4, most);
  return indent.length <= space ? indent : `⋯ ${indent.slice(2 - space)}`;
}

const who: Readonly<Record<string, string>> = { user: 'You', assistant: 'Model', tool: 'Tool', system: 'System' };

/** Who wrote a node: the model by its name, where it is known. */
export function writerOf(node: Node): string {
  if (node.kind === 'branch-summary') return 'Brought back';
  if (node.kind === 'compaction') return 'Summary';
  const source = node.meta.source;
  const model = source !== undefined && typeof source['model_name'] === 'string' ? source['model_name'] : null;
  return model ?? who[node.role] ?? node.role;
}

/** What a message says, with everything that is not text named in brackets. */
export function printMessage(node: Node): string {
  if (node.message === null) return '';
  const parts: string[] = [];
  for (const block of node.message.content) {
    if (block.type === 'text') parts.push(textOf({ role: 'user', content: [block] }));
    else if (block.type === 'tool-use') parts.push(`[calls ${'name' in block ? String(block.name) : 'a tool'}]`);
    else parts.push(`[${block.type}]`);
  }
  return parts.join('\n');
}

/** A text of somebody else as it is read: on a terminal, broken between words. */
export function readMessageText(text: string, { foreign, screen }: Output): string {
  return screen === null ? foreign(text) : readable(foreign(text), screen);
}

/** What something goes by and its id, on two lines where one is too short. */
function headed(name: string, id: string, { style, screen, columns }: Output): string {
  const lines = screen === null ? [name] : wrapped(name, screen).map((line) => line.trimEnd());
  const gap = widthOf(lines.at(-1) ?? '') + 2 + id.length > columns ? '\n' : '  ';
  return `${lines.join('\n')}${gap}${style.quiet(id)}`;
}

/** A tree above what is shown of it. */
export function treeHead(row: TreeRow, output: Output): string {
  return headed(output.style.strong(output.foreign(titleText(row))), row.id, output);
}

/** A node with all it says, and an empty line below it. */
export function printNode(node: Node, place: string, output: Output): string {
  const { style } = output;
  const status = node.status === 'success' ? '' : style.warn(` ${node.status}`);
  const variant = place === '' ? '' : style.quiet(` ${place}`);
  const head = headed(`${style.strong(oneLine(writerOf(node), 40))}${variant}${status}`, node.id, output);
  return `${head}\n${readMessageText(printMessage(node), output)}\n\n`;
}

/** How much of a tree is drawn. */
export interface DrawOptions {
  readonly shape: OutlineShape;
  /** The active node; the path to it is highlighted. */
  readonly current: NodeId | null;
  /** Hides the middle of long stretches without forks. */
  readonly fold?: boolean;
  /** At most so many lines. */
  readonly limit?: number;
}

/** Lines of a drawing, and how many more there would have been. */
export interface Drawing {
  readonly lines: readonly OutlineLine[];
  readonly left: number;
  /** How many messages are folded away between the lines. */
  readonly folded: number;
}

/** Chooses the lines of a drawing. */
export function outlineTree({ shape, current, fold, limit }: DrawOptions): Drawing {
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
 * Draws a tree, one node per line: a chain stays in its column, only forks indent, so that a thread of ten thousand turns
 * is a straight line. `rows` has what nodes say whose lines do not.
 */
export function* drawTree(
  lines: readonly OutlineLine[],
  output: Output,
  rows?: ReadonlyMap<NodeId, TopologyNode>,
): Generator<string> {
  // For each depth, whether a line has to be drawn past it because more follows there.
  const rails: string[] = [];
  for (const { node, depth, forked, last, folded, onPath, current } of lines) {
    rails.length = depth;
    if (forked) rails[depth - 1] = last ? '  ' : '│ ';
    const indent = indented(rails.slice(0, forked ? depth - 1 : depth).join(''), output.columns - 40);
    const stem = `${indent}${forked ? (last ? '└─' : '├─') : ''}`;
    if (folded > 0) yield output.style.quiet(`${indent}⋮ ${countNoun(folded, 'message')}`);
    // In letters: without colours nothing else shows where the user is.
    const mark = current ? ' ← here' : '';
    const line = printNodeLine(rows?.get(node.id) ?? node, onPath, output, widthOf(stem + mark));
    yield `${output.style.quiet(stem)}${line}${output.style.active(mark)}`;
  }
}

const marks: Readonly<Record<string, string>> = { user: '●', assistant: '○', tool: '▪', system: '■' };

function printNodeLine(node: TopologyNode, active: boolean, output: Output, taken: number): string {
  const { style } = output;
  const mark = node.kind === 'message' ? (marks[node.role] ?? '·') : '▬';
  const status = node.status === 'success' ? '' : ` ${node.status}`;
  const id = ` ${shortNodeId(node.id)}`;
  const text = oneLine(node.preview, Math.max(8, output.columns - taken - widthOf(`${mark} ${status}${id}`)));
  return `${active ? style.active(mark) : mark} ${active ? text : style.quiet(text)}${style.warn(status)}${style.quiet(id)}`;
}

/** The first words of a node behind a few others, on one line. */
export function preview(before: string, node: Pick<Node, 'text' | 'meta'>, output: Output): string {
  return `${before}${oneLine(node.meta.title ?? node.text, Math.max(8, output.columns - widthOf(before)))}`;
}
