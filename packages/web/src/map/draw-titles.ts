/** Draws the titles of branches on the map, without covering messages and lines. */
import { textDirectionOf } from '../markdown/direction.ts';
import { toExcerpt } from '../markdown/excerpt.ts';
import { computeMessagePosition, type MapBranch, messageHeight } from './layout.ts';
import type { MapScene, ScreenRectangle, VisibleBranch } from './map-scene.ts';

// With more obstacles titles overlap lines anyway, and searching for space costs frames.
const mostObstacles = 400;

/** Finds the areas that titles must not cover: messages, the lines between them, and the curves to branches. */
function findObstacles(pen: MapScene, seen: readonly VisibleBranch[]): ScreenRectangle[] {
  const boxes: ScreenRectangle[] = [];
  const { layout, view } = pen;
  const around = (x: number, y: number, w: number, h: number) =>
    boxes.push({ x0: x - w, y0: y - h, x1: x + w, y1: y + h });
  for (const { branch, from, to } of seen) {
    const end = branch.nodes.length - 1;
    for (let at = from; at <= to; at++) {
      if (boxes.length >= mostObstacles) return [];
      const spot = computeMessagePosition(layout, branch, at);
      const x = spot.x * view.kx + view.tx;
      const y = spot.y * view.ky + view.ty;
      const node = branch.nodes[at];
      around(x, at === end ? y : y - (messageHeight * view.ky) / 4, 4, at === end ? 5 : (messageHeight * view.ky) / 2);
      if (pen.level === 'mid' && node !== undefined && pen.bookmarks.has(node.id)) around(x + 10, y - 8, 4, 6);
    }
    const first = computeMessagePosition(layout, branch, 0);
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

/**
 * Draws titles at the ends of branches, placed greedily: the active branch first, then bookmarked ones, then the
 * longest.
 */
export function drawTitles(pen: MapScene, seen: readonly VisibleBranch[]): void {
  const { context, layout, view, width, palette } = pen;
  const titled: Titled[] = [];
  for (const { branch } of seen) {
    const tip = branch.nodes.at(-1);
    if (tip === undefined) continue;
    const here = tip.id === pen.leaf;
    const mark = branch.nodes.findLast((node) => pen.bookmarks.has(node.id));
    const named = mark === undefined ? undefined : pen.bookmarks.get(mark.id)?.title;
    const title = named ?? toExcerpt(tip.preview, 26);
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
  const taken: ScreenRectangle[] = [...pen.avoid, ...findObstacles(pen, seen)];
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  const pageDirection = context.direction;
  for (const { branch, title, here } of titled.slice(0, mostTitles)) {
    const spot = computeMessagePosition(layout, branch, branch.nodes.length - 1);
    const x = spot.x * view.kx + view.tx;
    const y = spot.y * view.ky + view.ty - (here ? 24 : 14);
    if (x < 8 || x > width - 8 || y < 0) continue;
    context.font = `${here ? 650 : 500} ${here ? 13 : 12}px ${pen.font}`;
    // The title's own direction: with that of the page, its full stop or ellipsis would move to the other end.
    context.direction = textDirectionOf(title);
    const half = context.measureText(title).width / 2;
    const box = freeTitlePlace(taken, x, y, half, width, pen.level === 'far' ? 2 : 5);
    if (box === null) continue;
    taken.push(box);
    const middle = (box.x0 + box.x1) / 2;
    // A title that was moved away is connected to its branch by a line.
    if (y - box.y1 > 8 || Math.abs(middle - x) > half) {
      context.lineWidth = 1;
      context.strokeStyle = palette['inactive-faint'];
      context.beginPath();
      context.moveTo(x, y + 6);
      context.lineTo(Math.max(box.x0 + 6, Math.min(box.x1 - 6, x)), box.y1);
      context.stroke();
    }
    context.lineWidth = 4;
    context.strokeStyle = palette.background;
    context.strokeText(title, middle, box.y1 - 5);
    context.fillStyle = here ? palette['accent-ink'] : palette['ink-2'];
    context.fillText(title, middle, box.y1 - 5);
  }
  context.direction = pageDirection;
}

function freeTitlePlace(
  taken: readonly ScreenRectangle[],
  x: number,
  y: number,
  half: number,
  width: number,
  tries: number,
): ScreenRectangle | null {
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
