/** How trees, nodes and changes look in a terminal. */
import { type Node, type TopologyNode, type TreeRow, textOf } from '@coppice/core';
import type { Output } from './output.ts';
import { oneLine } from './terminal/neutral.ts';
import { fitted, widthOf } from './terminal/width.ts';
import { readable, wrapped } from './terminal/wrap.ts';

/** The end of an id, enough to name it again: ids that were made in one moment, as variants are, begin alike. */
function shortId(id: string): string {
  return id.slice(-8);
}

/** A time as people read it, in the place's own time zone. */
export function timeText(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What a tree goes by. */
export function titleOf(row: Pick<TreeRow, 'attributes'>): string {
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
  return listed(row.id, timeText(row.updatedAt), titleOf(row), beside === '' ? '' : `  (${beside})`, output);
}

const leastText = 20;

/**
 * Something of a list: its id, what is to be known of it, what it says, and what else there is. Where there is no room
 * for that on one line, it goes on below the id: a terminal would break the line anywhere.
 */
export function listed(id: string, about: string, text: string, after: string, { style, columns }: Output): string {
  const room = columns - widthOf(id) - widthOf(about) - 4;
  const isBelow = room < leastText;
  const together = widthOf(id) + widthOf(about) + 2 <= columns;
  const rest = isBelow ? columns - 2 - (together ? 0 : widthOf(about) + 2) : room;
  const tail = fitted(after, rest - leastText);
  const said = `${oneLine(text, rest - widthOf(tail))}${tail === '' ? '' : style.quiet(tail)}`;
  const [first, second] = isBelow ? (together ? ['  ', '\n  '] : ['\n  ', '  ']) : ['  ', '  '];
  return `${style.quiet(id)}${first}${style.quiet(about)}${second}${said}`;
}

/** The indentation of a line, at most so wide: of one that is deeper the end is shown, behind a mark. */
export function indented(indent: string, most: number): string {
  const room = Math.max(4, most);
  return indent.length <= room ? indent : `⋯ ${indent.slice(2 - room)}`;
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
export function messageText(node: Node): string {
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
export function readText(text: string, { foreign, screen }: Output): string {
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
  return headed(output.style.strong(output.foreign(titleOf(row))), row.id, output);
}

/** A node with all it says, and an empty line below it. */
export function nodeText(node: Node, place: string, output: Output): string {
  const { style } = output;
  const status = node.status === 'success' ? '' : style.warn(` ${node.status}`);
  const variant = place === '' ? '' : style.quiet(` ${place}`);
  const head = headed(`${style.strong(oneLine(writerOf(node), 40))}${variant}${status}`, node.id, output);
  return `${head}\n${readText(messageText(node), output)}\n\n`;
}

interface Branch {
  readonly node: TopologyNode;
  readonly indent: string;
  readonly last: boolean;
  readonly fork: boolean;
}

/**
 * The outline of a tree, one node a line: a chain stays in its column, only forks indent, so that a thread of ten
 * thousand turns is a straight line. Iterative, since chains may be as long as they like.
 */
export function* outline(
  nodes: readonly TopologyNode[],
  top: string,
  active: ReadonlySet<string>,
  output: Output,
  here: string | null = null,
): Generator<string> {
  const children = new Map<string, TopologyNode[]>();
  for (const node of nodes) {
    const list = children.get(node.parentId);
    if (list === undefined) children.set(node.parentId, [node]);
    else list.push(node);
  }
  for (const list of children.values()) list.sort((a, b) => (a.position < b.position ? -1 : 1));
  const rest: Branch[] = [];
  const push = (parent: string, indent: string) => {
    const list = children.get(parent) ?? [];
    const fork = list.length > 1;
    for (let at = list.length - 1; at >= 0; at--) {
      const node = list[at];
      if (node !== undefined) rest.push({ node, indent, last: at === list.length - 1, fork });
    }
  };
  push(top, '');
  for (let branch = rest.pop(); branch !== undefined; branch = rest.pop()) {
    const { node, indent, last, fork } = branch;
    const stem = `${indented(indent, output.columns - 40)}${fork ? (last ? '└─' : '├─') : ''}`;
    // In letters: where there are no colours, nothing else says where one is.
    const mark = node.id === here ? ' ← here' : '';
    const line = nodeLine(node, active.has(node.id), output, widthOf(stem + mark));
    yield `${output.style.quiet(stem)}${line}${output.style.active(mark)}`;
    push(node.id, fork ? `${indent}${last ? '  ' : '│ '}` : indent);
  }
}

const marks: Readonly<Record<string, string>> = { user: '●', assistant: '○', tool: '▪', system: '■' };

function nodeLine(node: TopologyNode, active: boolean, output: Output, taken: number): string {
  const { style } = output;
  const mark = node.kind === 'message' ? (marks[node.role] ?? '·') : '▬';
  const status = node.status === 'success' ? '' : ` ${node.status}`;
  const id = ` ${shortId(node.id)}`;
  const text = oneLine(node.preview, Math.max(8, output.columns - taken - widthOf(`${mark} ${status}${id}`)));
  return `${active ? style.active(mark) : mark} ${active ? text : style.quiet(text)}${style.warn(status)}${style.quiet(id)}`;
}

/** The first words of a node behind a few others, on one line. */
export function preview(before: string, node: Pick<Node, 'text' | 'meta'>, output: Output): string {
  return `${before}${oneLine(node.meta.title ?? node.text, Math.max(8, output.columns - widthOf(before)))}`;
}
