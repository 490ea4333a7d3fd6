/** Draws the root and the lines of branches: width is the number of messages, green is the active path. */
import { computeColumnX, computeMessagePosition, type MapBranch, messageHeight } from './layout.ts';
import type { MapScene, VisibleBranch } from './map-scene.ts';

function thickness(weight: number, scale: number): number {
  return Math.min(8.5, 0.9 + 0.62 * Math.sqrt(weight)) * scale;
}

interface StemRun {
  readonly colour: string;
  readonly width: number;
  readonly path: Path2D;
}

/** Draws the lines, grouped by colour and width into few strokes: thousands of separate strokes would be slow. */
export function drawBranchLines(pen: MapScene, seen: readonly VisibleBranch[]): void {
  const dormant = new Map<string, StemRun>();
  const live = new Map<string, StemRun>();
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

function runFor(
  pen: MapScene,
  branch: MapBranch,
  at: number,
  dormant: Map<string, StemRun>,
  live: Map<string, StemRun>,
): StemRun {
  const node = branch.nodes[at];
  const alive = node !== undefined && pen.live.has(node.id);
  const raw = thickness(branch.weights[at] ?? 1, pen.thick);
  // Widths are rounded to few values, because half a pixel is not visible.
  const width = Math.max(alive ? 2 * Math.max(0.8, pen.thick) : pen.mini === true ? 0.6 : 1, Math.round(raw * 2) / 2);
  const runs = alive ? live : dormant;
  const dim = node !== undefined && pen.hidden(node) && !alive;
  const colour = alive ? pen.palette.accent : dim ? pen.palette['inactive-faint'] : pen.palette.inactive;
  const key = `${colour} ${width}`;
  const known = runs.get(key);
  if (known !== undefined) return known;
  const run: StemRun = { colour, width, path: new Path2D() };
  runs.set(key, run);
  return run;
}

function addFork(pen: MapScene, branch: MapBranch, dormant: Map<string, StemRun>, live: Map<string, StemRun>): void {
  const { view, layout } = pen;
  const { path } = runFor(pen, branch, 0, dormant, live);
  const fx = branch.fork.x * view.kx + view.tx;
  // First messages start at the root symbol, which does not scale.
  const fy = branch.parent === null ? view.ty - 5 : branch.fork.y * view.ky + view.ty;
  const spot = computeMessagePosition(layout, branch, 0);
  const x = spot.x * view.kx + view.tx;
  const y = spot.y * view.ky + view.ty;
  const rise = fy - y;
  path.moveTo(fx, fy);
  if (branch.parent === null)
    path.bezierCurveTo(fx + (x - fx) * 0.42, fy - rise * 0.14, x - (x - fx) * 0.05, y + rise * 0.58, x, y);
  else path.bezierCurveTo(fx + (x - fx) * 0.16, fy - rise * 0.42, x - (x - fx) * 0.04, y + rise * 0.52, x, y);
}

function addStretch(
  pen: MapScene,
  branch: MapBranch,
  from: number,
  to: number,
  dormant: Map<string, StemRun>,
  live: Map<string, StemRun>,
): void {
  if (to < from) return;
  const { view, layout } = pen;
  // When zoomed out, many messages share a pixel, so the line has a point only about every 3 pixels.
  const stride = Math.max(1, Math.floor(3 / (messageHeight * view.ky)));
  const xOf = (at: number) =>
    computeColumnX(layout, branch.column, branch.base - at * messageHeight) * view.kx + view.tx;
  const yOf = (at: number) => (branch.base - at * messageHeight) * view.ky + view.ty;
  let before = from - 1;
  let run: StemRun | null = null;
  for (let at = from; at <= to; at = at === to ? to + 1 : Math.min(to, at + stride)) {
    const next = runFor(pen, branch, at, dormant, live);
    if (next !== run) next.path.moveTo(xOf(before), yOf(before));
    next.path.lineTo(xOf(at), yOf(at));
    run = next;
    before = at;
  }
}

/** Draws the root symbol. Its size depends on the zoom level alone, not on the exact scale. */
export function drawRoot({ context, layout, view, palette, level, mini }: MapScene): void {
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
    context.strokeStyle = lit ? palette.accent : palette.inactive;
    context.lineWidth = lit ? 1.8 : 1.1;
    context.beginPath();
    context.ellipse(x, y, 46 * k * share, 15 * k * share, 0, 0, Math.PI * 2);
    context.stroke();
  }
}

/** Draws a dotted arc from a merged branch to its summary. */
export function drawMerges({ context, layout, view, palette, merges = [] }: MapScene): void {
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.4;
  context.setLineDash([1.5, 4]);
  for (const { from, to } of merges) {
    const source = layout.spots.get(from);
    const target = layout.spots.get(to);
    if (source === undefined || target === undefined) continue;
    const a = computeMessagePosition(layout, source.branch, source.at);
    const b = computeMessagePosition(layout, target.branch, target.at);
    const [ax, ay] = [a.x * view.kx + view.tx, a.y * view.ky + view.ty];
    const [bx, by] = [b.x * view.kx + view.tx, b.y * view.ky + view.ty];
    context.beginPath();
    context.moveTo(ax, ay);
    context.bezierCurveTo(ax + (bx - ax) * 0.45, ay, bx + (ax - bx) * 0.45, by, bx, by);
    context.stroke();
  }
  context.setLineDash([]);
}
