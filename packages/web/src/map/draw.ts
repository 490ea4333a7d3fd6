/** Draws the map on a canvas: stems by weight, the active path green, what is on it by the zoom. Only what is seen is drawn. */
import type { NodeId, TopologyNode } from '@coppice/core';
import { ringsOf } from '../ui/rings.tsx';
import { lean, type MapBranch, type MapLayout, spotXY, step } from './layout.ts';
import type { Palette } from './palette.ts';
import { type Level, levelOf, type MapView, seenColumns } from './view.ts';

/** What is drawn. */
export interface Drawing {
  readonly layout: MapLayout;
  readonly view: MapView;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  readonly font: string;
  /** Nodes on the active path. */
  readonly live: ReadonlySet<NodeId>;
  readonly leaf: NodeId | null;
  readonly bookmarks: ReadonlyMap<NodeId, { readonly title: string }>;
  readonly hidden: (node: TopologyNode) => boolean;
  readonly focus: NodeId | null;
  readonly childCount: (id: NodeId) => number;
  readonly liveChild: (id: NodeId) => number;
  readonly flower: (branch: MapBranch) => string;
  /** Parts of the screen that titles keep out of. */
  readonly avoid: readonly Box[];
  readonly quiet?: boolean;
  readonly mini?: boolean;
  /** The level, where the scale does not say it. */
  readonly level?: Level;
  /** Branches that were brought back: from their tip to the summary. */
  readonly merges?: readonly { readonly from: NodeId; readonly to: NodeId }[];
}

/** A rectangle of the screen. */
export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

interface Pen extends Omit<Drawing, 'level'> {
  readonly context: CanvasRenderingContext2D;
  readonly level: Level;
  readonly thick: number;
}

function thickness(weight: number, scale: number): number {
  return Math.min(8.5, 0.9 + 0.62 * Math.sqrt(weight)) * scale;
}

/** Draws everything. */
export function drawMap(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const level = drawing.mini === true ? 'far' : (drawing.level ?? levelOf(drawing.view));
  const thick = drawing.mini === true ? 0.42 : level === 'far' ? 0.72 : level === 'near' ? 1.35 : 1;
  const pen: Pen = { ...drawing, context, level, thick };
  context.clearRect(0, 0, drawing.width, drawing.height);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  drawStump(pen);
  const seen = seenBranches(pen);
  drawStems(pen, seen);
  if (drawing.mini === true) return;
  drawMerges(pen);
  if (level === 'far') drawTips(pen, seen);
  else if (level === 'mid') drawNodes(pen, seen);
  if (level !== 'near') drawTitles(pen, seen);
}

/** A branch with the stretch of it that is seen. */
interface Seen {
  readonly branch: MapBranch;
  readonly from: number;
  readonly to: number;
}

function seenBranches({ layout, view, width, height }: Pen): readonly Seen[] {
  const columns = seenColumns(layout, view, width);
  const top = -view.ty / view.ky - 60 / view.ky;
  const bottom = (height - view.ty) / view.ky + 60 / view.ky;
  const seen: Seen[] = [];
  for (const branch of layout.branches) {
    const end = branch.nodes.length - 1;
    const low = Math.min(branch.column, branch.fork.x);
    const high = Math.max(branch.column, branch.fork.x);
    if (high < columns.from || low > columns.to) continue;
    if (branch.fork.y < top || branch.base - end * step > bottom) continue;
    const from = Math.max(0, Math.floor((branch.base - bottom) / step));
    const to = Math.min(end, Math.ceil((branch.base - top) / step));
    seen.push({ branch, from, to });
  }
  return seen;
}

interface Run {
  readonly colour: string;
  readonly width: number;
  readonly path: Path2D;
}

/** Stems, gathered by colour and width into few strokes: thousands of them would cost more than all their length. */
function drawStems(pen: Pen, seen: readonly Seen[]): void {
  const dormant = new Map<string, Run>();
  const live = new Map<string, Run>();
  for (const { branch, from, to } of seen) {
    if (from === 0) addFork(pen, branch, dormant, live);
    addStretch(pen, branch, Math.max(1, from), to, dormant, live);
  }
  for (const runs of [dormant, live]) {
    for (const run of runs.values()) {
      pen.context.strokeStyle = run.colour;
      pen.context.lineWidth = run.width;
      pen.context.stroke(run.path);
    }
  }
}

function runFor(pen: Pen, branch: MapBranch, at: number, dormant: Map<string, Run>, live: Map<string, Run>): Run {
  const node = branch.nodes[at];
  const alive = node !== undefined && pen.live.has(node.id);
  const raw = thickness(branch.weights[at] ?? 1, pen.thick);
  // Few widths: half a pixel more or less is not seen.
  const width = Math.max(alive ? 2 * Math.max(0.8, pen.thick) : pen.mini === true ? 0.6 : 1, Math.round(raw * 2) / 2);
  const runs = alive ? live : dormant;
  const dim = node !== undefined && pen.hidden(node) && !alive;
  const colour = alive ? pen.palette.cambium : dim ? pen.palette['bark-faint'] : pen.palette.bark;
  const key = `${colour} ${width}`;
  const known = runs.get(key);
  if (known !== undefined) return known;
  const run: Run = { colour, width, path: new Path2D() };
  runs.set(key, run);
  return run;
}

function addFork(pen: Pen, branch: MapBranch, dormant: Map<string, Run>, live: Map<string, Run>): void {
  const { view, layout } = pen;
  const { path } = runFor(pen, branch, 0, dormant, live);
  const fx = branch.fork.x * view.kx + view.tx;
  // On the stump itself, which does not grow with the scale.
  const fy = branch.parent === null ? view.ty - 5 : branch.fork.y * view.ky + view.ty;
  const spot = spotXY(layout, branch, 0);
  const x = spot.x * view.kx + view.tx;
  const y = spot.y * view.ky + view.ty;
  const rise = fy - y;
  path.moveTo(fx, fy);
  if (branch.parent === null)
    path.bezierCurveTo(fx + (x - fx) * 0.42, fy - rise * 0.14, x - (x - fx) * 0.05, y + rise * 0.58, x, y);
  else path.bezierCurveTo(fx + (x - fx) * 0.16, fy - rise * 0.42, x - (x - fx) * 0.04, y + rise * 0.52, x, y);
}

function addStretch(
  pen: Pen,
  branch: MapBranch,
  from: number,
  to: number,
  dormant: Map<string, Run>,
  live: Map<string, Run>,
): void {
  if (to < from) return;
  const { view, layout } = pen;
  // Far away many messages share a pixel: the stem is drawn in steps that can be seen.
  const stride = Math.max(1, Math.floor(3 / (step * view.ky)));
  const xOf = (at: number) => lean(layout, branch.column, branch.base - at * step) * view.kx + view.tx;
  const yOf = (at: number) => (branch.base - at * step) * view.ky + view.ty;
  let before = from - 1;
  let run: Run | null = null;
  for (let at = from; at <= to; at = at === to ? to + 1 : Math.min(to, at + stride)) {
    const next = runFor(pen, branch, at, dormant, live);
    if (next !== run) next.path.moveTo(xOf(before), yOf(before));
    next.path.lineTo(xOf(at), yOf(at));
    run = next;
    before = at;
  }
}

function drawStump({ context, layout, view, palette, level, mini }: Pen): void {
  const x = layout.x0 * view.kx + view.tx;
  const y = view.ty;
  const k = mini === true ? 0.28 : level === 'far' ? 0.62 : level === 'near' ? 1.8 : 1;
  context.fillStyle = palette.raised;
  context.strokeStyle = palette['ink-2'];
  context.lineWidth = 1.4;
  context.beginPath();
  context.moveTo(x - 46 * k, y);
  context.lineTo(x - 53 * k, y + 30 * k);
  context.quadraticCurveTo(x, y + 46 * k, x + 53 * k, y + 30 * k);
  context.lineTo(x + 46 * k, y);
  context.fill();
  context.stroke();
  context.beginPath();
  context.ellipse(x, y, 46 * k, 15 * k, 0, 0, Math.PI * 2);
  context.fill();
  context.stroke();
  if (mini === true) return;
  for (const [share, lit] of [
    [0.78, false],
    [0.52, true],
    [0.26, false],
  ] as const) {
    context.strokeStyle = lit ? palette.cambium : palette.bark;
    context.lineWidth = lit ? 1.8 : 1.1;
    context.beginPath();
    context.ellipse(x, y, 46 * k * share, 15 * k * share, 0, 0, Math.PI * 2);
    context.stroke();
  }
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, r: number): void {
  context.beginPath();
  context.arc(x, y, r, 0, Math.PI * 2);
}

function drawTips(pen: Pen, seen: readonly Seen[]): void {
  const { context, layout, view, palette } = pen;
  for (const { branch } of seen) {
    const end = branch.nodes.length - 1;
    const node = branch.nodes[end];
    if (node === undefined) continue;
    const { x, y } = spotXY(layout, branch, end);
    drawTip(pen, branch, node, x * view.kx + view.tx, y * view.ky + view.ty, 2.6);
  }
  // Forks on the active path are shown from afar too: they are where one can go elsewhere.
  for (const { branch, from, to } of seen) {
    if (branch.nodes[0] !== undefined && !pen.live.has(branch.nodes[0].id)) continue;
    for (const kid of branch.kids) {
      const node = branch.nodes[kid.forkAt];
      if (kid.forkAt < from || kid.forkAt > to || node === undefined || !pen.live.has(node.id)) continue;
      const { x, y } = spotXY(layout, branch, kid.forkAt);
      disc(context, x * view.kx + view.tx, y * view.ky + view.ty, 3.2);
      context.fillStyle = palette.ground;
      context.strokeStyle = palette.cambium;
      context.lineWidth = 2;
      context.fill();
      context.stroke();
    }
  }
}

function drawTip(pen: Pen, branch: MapBranch, node: TopologyNode, x: number, y: number, r: number): void {
  const { context, palette } = pen;
  const here = node.id === pen.leaf;
  if (here) {
    context.globalAlpha = 0.55;
    context.fillStyle = palette['cambium-line'];
    disc(context, x, y, r * 2.5);
    context.fill();
    context.globalAlpha = 1;
  }
  context.fillStyle = pen.flower(branch);
  context.strokeStyle = palette.ground;
  context.lineWidth = 1.5;
  disc(context, x, y, here ? r * 1.4 : r);
  context.fill();
  context.stroke();
  drawState(pen, node, x, y);
}

function drawState({ context, palette }: Pen, node: TopologyNode, x: number, y: number): void {
  if (node.status === 'interrupted' || node.status === 'aborted') {
    context.strokeStyle = palette.cut;
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(x - 8, y - 7);
    context.lineTo(x + 8, y - 13);
    context.stroke();
  } else if (node.status === 'error') {
    context.strokeStyle = palette.blight;
    context.lineWidth = 2.2;
    context.beginPath();
    context.moveTo(x - 4, y - 13);
    context.lineTo(x + 4, y - 6);
    context.moveTo(x + 4, y - 13);
    context.lineTo(x - 4, y - 6);
    context.stroke();
  }
}

function drawNodes(pen: Pen, seen: readonly Seen[]): void {
  const { context, layout, view } = pen;
  for (const { branch, from, to } of seen) {
    for (let at = from; at <= to; at++) {
      const node = branch.nodes[at];
      if (node === undefined) continue;
      const spot = spotXY(layout, branch, at);
      const x = spot.x * view.kx + view.tx;
      const y = spot.y * view.ky + view.ty;
      context.globalAlpha = pen.hidden(node) ? 0.25 : 1;
      drawNode(pen, branch, node, at, x, y);
      context.globalAlpha = 1;
    }
  }
}

function drawNode(pen: Pen, branch: MapBranch, node: TopologyNode, at: number, x: number, y: number): void {
  const { context, palette } = pen;
  const alive = pen.live.has(node.id);
  const colour = alive ? palette.cambium : palette.bark;
  const kids = pen.childCount(node.id);
  if (kids > 1) drawRings(pen, node.id, kids, alive, x, y);
  else if (at === branch.nodes.length - 1) drawTip(pen, branch, node, x, y, 4.6);
  else if (node.kind !== 'message') {
    context.fillStyle = palette.ground;
    context.strokeStyle = colour;
    context.lineWidth = 1.8;
    context.beginPath();
    context.roundRect(x - 7, y - 2.6, 14, 5.2, 2);
    context.fill();
    context.stroke();
  } else if (node.role === 'tool') {
    context.fillStyle = colour;
    context.fillRect(x - 2.4, y - 2.4, 4.8, 4.8);
  } else {
    const you = node.role === 'user';
    context.fillStyle = you ? colour : palette.ground;
    context.strokeStyle = you ? palette.ground : colour;
    context.lineWidth = alive ? 2 : 1.6;
    disc(context, x, y, you ? 3.9 : 3.5);
    context.fill();
    context.stroke();
    drawState(pen, node, x, y);
  }
  if (pen.bookmarks.has(node.id)) {
    context.fillStyle = palette.ink;
    context.fill(new Path2D(`M${x + 6.5} ${y - 14}h7v11l-3.5-2.8-3.5 2.8z`));
  }
  if (node.id === pen.focus) {
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    disc(context, x, y, 10);
    context.stroke();
  }
}

function drawRings(
  { context, palette, liveChild }: Pen,
  id: NodeId,
  count: number,
  alive: boolean,
  x: number,
  y: number,
): void {
  const outer = 3.4 + Math.min(count, 4) * 2.1;
  context.fillStyle = palette.ground;
  disc(context, x, y, outer + 2);
  context.fill();
  const { radii, lit } = ringsOf(count, alive ? liveChild(id) : 0, outer + 1);
  for (const [index, radius] of radii.entries()) {
    const on = alive && index + 1 === lit;
    context.strokeStyle = on ? palette.cambium : palette.bark;
    context.lineWidth = on ? 2.2 : 1.2;
    disc(context, x, y, radius);
    context.stroke();
  }
}

/** What was brought back is tied to its summary by a dotted arc. */
function drawMerges({ context, layout, view, palette, merges = [] }: Pen): void {
  context.strokeStyle = palette.cambium;
  context.lineWidth = 1.4;
  context.setLineDash([1.5, 4]);
  for (const { from, to } of merges) {
    const source = layout.spots.get(from);
    const target = layout.spots.get(to);
    if (source === undefined || target === undefined) continue;
    const a = spotXY(layout, source.branch, source.at);
    const b = spotXY(layout, target.branch, target.at);
    const [ax, ay] = [a.x * view.kx + view.tx, a.y * view.ky + view.ty];
    const [bx, by] = [b.x * view.kx + view.tx, b.y * view.ky + view.ty];
    context.beginPath();
    context.moveTo(ax, ay);
    context.bezierCurveTo(ax + (bx - ax) * 0.45, ay, bx + (ax - bx) * 0.45, by, bx, by);
    context.stroke();
  }
  context.setLineDash([]);
}

// Beyond this a screen is so full that titles lie over stems anyway, and looking for room costs frames.
const mostObstacles = 400;

/** What titles keep out of: messages, the stretches between them, and the bends that lead to branches. */
function obstacles(pen: Pen, seen: readonly Seen[]): Box[] {
  const boxes: Box[] = [];
  const { layout, view } = pen;
  const around = (x: number, y: number, w: number, h: number) =>
    boxes.push({ x0: x - w, y0: y - h, x1: x + w, y1: y + h });
  for (const { branch, from, to } of seen) {
    const end = branch.nodes.length - 1;
    for (let at = from; at <= to; at++) {
      if (boxes.length >= mostObstacles) return [];
      const spot = spotXY(layout, branch, at);
      const x = spot.x * view.kx + view.tx;
      const y = spot.y * view.ky + view.ty;
      const node = branch.nodes[at];
      around(x, at === end ? y : y - (step * view.ky) / 4, 4, at === end ? 5 : (step * view.ky) / 2);
      if (pen.level === 'mid' && node !== undefined && pen.bookmarks.has(node.id)) around(x + 10, y - 8, 4, 6);
    }
    const first = spotXY(layout, branch, 0);
    const fx = branch.fork.x * view.kx + view.tx;
    const fy = branch.fork.y * view.ky + view.ty;
    const dx = first.x * view.kx + view.tx - fx;
    const dy = first.y * view.ky + view.ty - fy;
    for (const [along, up] of [
      [0.18, 0.25],
      [0.5, 0.45],
      [0.82, 0.6],
    ] as const)
      around(fx + dx * along, fy + dy * up, Math.max(5, Math.abs(dx) * 0.17), 5);
  }
  return boxes;
}

interface Titled {
  readonly branch: MapBranch;
  readonly title: string;
  readonly rank: number;
  readonly here: boolean;
}

const mostTitles = 60;

/** Titles at the tips, placed greedily: the active branch first, then bookmarked, then the longest. */
function drawTitles(pen: Pen, seen: readonly Seen[]): void {
  const { context, layout, view, width, palette } = pen;
  const titled: Titled[] = [];
  for (const { branch } of seen) {
    const tip = branch.nodes.at(-1);
    if (tip === undefined) continue;
    const here = tip.id === pen.leaf;
    const mark = branch.nodes.findLast((node) => pen.bookmarks.has(node.id));
    const title = mark === undefined ? tip.preview : (pen.bookmarks.get(mark.id)?.title ?? tip.preview);
    if (title === '' || (pen.quiet === true && !here && mark === undefined)) continue;
    if (pen.level === 'far' && !here && mark === undefined && branch.nodes.length < 3) continue;
    titled.push({
      branch,
      title: title.length > 26 ? `${title.slice(0, 25)}…` : title,
      here,
      rank: (here ? 1e9 : 0) + (mark === undefined ? 0 : 1e6) + branch.nodes.length,
    });
  }
  titled.sort((a, b) => b.rank - a.rank);
  const taken: Box[] = [...pen.avoid, ...obstacles(pen, seen)];
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  for (const { branch, title, here } of titled.slice(0, mostTitles)) {
    const spot = spotXY(layout, branch, branch.nodes.length - 1);
    const x = spot.x * view.kx + view.tx;
    const y = spot.y * view.ky + view.ty - (here ? 24 : 14);
    if (x < 8 || x > width - 8 || y < 0) continue;
    context.font = `${here ? 650 : 500} ${here ? 13 : 12}px ${pen.font}`;
    const half = context.measureText(title).width / 2;
    const box = freePlace(taken, x, y, half, width, pen.level === 'far' ? 2 : 5);
    if (box === null) continue;
    taken.push(box);
    const middle = (box.x0 + box.x1) / 2;
    // A title that had to go elsewhere is tied to its tip.
    if (y - box.y1 > 8 || Math.abs(middle - x) > half) {
      context.lineWidth = 1;
      context.strokeStyle = palette['bark-faint'];
      context.beginPath();
      context.moveTo(x, y + 6);
      context.lineTo(Math.max(box.x0 + 6, Math.min(box.x1 - 6, x)), box.y1);
      context.stroke();
    }
    context.lineWidth = 4;
    context.strokeStyle = palette.ground;
    context.strokeText(title, middle, box.y1 - 5);
    context.fillStyle = here ? palette['cambium-ink'] : palette['ink-2'];
    context.fillText(title, middle, box.y1 - 5);
  }
}

function freePlace(
  taken: readonly Box[],
  x: number,
  y: number,
  half: number,
  width: number,
  tries: number,
): Box | null {
  for (let lift = 0; lift < tries; lift++) {
    for (const aside of [0, -0.72, 0.72, -1.15, 1.15]) {
      const middle = Math.max(half + 8, Math.min(width - half - 8, x + aside * half));
      const box = { x0: middle - half - 3, y0: y - lift * 15 - 12, x1: middle + half + 3, y1: y - lift * 15 + 5 };
      if (!taken.some((other) => other.x0 < box.x1 && other.x1 > box.x0 && other.y0 < box.y1 && other.y1 > box.y0))
        return box;
    }
  }
  return null;
}

/** The message nearest to a point of the screen, within a finger's reach; null if none is. */
export function nodeAt(layout: MapLayout, view: MapView, x: number, y: number): NodeId | null {
  const reach = 14;
  let best: NodeId | null = null;
  let nearest = reach * reach;
  for (const branch of layout.branches) {
    const at = Math.round((branch.base - (y - view.ty) / view.ky) / step);
    const index = Math.max(0, Math.min(branch.nodes.length - 1, at));
    const spot = spotXY(layout, branch, index);
    const dx = spot.x * view.kx + view.tx - x;
    const dy = spot.y * view.ky + view.ty - y;
    const distance = dx * dx + dy * dy;
    if (distance >= nearest) continue;
    nearest = distance;
    best = branch.nodes[index]?.id ?? null;
  }
  return best;
}
