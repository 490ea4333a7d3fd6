/** The input of the map drawing, and its visible part. */
import type { NodeId, TopologyNode } from '@coppice/core';
import { computeMessagePosition, type MapBranch, type MapLayout, messageHeight } from './layout.ts';
import type { MapColours } from './map-colours.ts';
import { findVisibleColumns, type MapView, type ZoomLevel } from './view.ts';

/** The tree, its layout and the state that the map draws. */
export interface SceneOptions {
  readonly layout: MapLayout;
  readonly view: MapView;
  readonly width: number;
  readonly height: number;
  readonly palette: MapColours;
  readonly font: string;
  /** Nodes on the active path. */
  readonly live: ReadonlySet<NodeId>;
  readonly leaf: NodeId | null;
  readonly bookmarks: ReadonlyMap<NodeId, { readonly title: string }>;
  readonly hidden: (node: TopologyNode) => boolean;
  readonly focus: NodeId | null;
  readonly childCount: (id: NodeId) => number;
  readonly liveChild: (id: NodeId) => number;
  readonly modelColour: (branch: MapBranch) => string;
  /** Parts of the screen that titles avoid. */
  readonly avoid: readonly ScreenRectangle[];
  readonly quiet?: boolean;
  readonly mini?: boolean;
  /** The zoom level, if it does not depend on the scale. */
  readonly level?: ZoomLevel;
  /** Merged branches: from their last node to the summary. */
  readonly merges?: readonly { readonly from: NodeId; readonly to: NodeId }[];
}

/** A rectangle of the canvas, in CSS pixels. */
export interface ScreenRectangle {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** The drawing options with their canvas. */
export interface MapScene extends Omit<SceneOptions, 'level'> {
  readonly context: CanvasRenderingContext2D;
  readonly level: ZoomLevel;
  readonly thick: number;
}

/** A branch, and the indexes of its first and last visible message. */
export interface VisibleBranch {
  readonly branch: MapBranch;
  readonly from: number;
  readonly to: number;
}

/** Finds the branches whose column, or curve from the fork, may be inside the canvas. */
export function findVisibleBranches({ layout, view, width, height }: MapScene): readonly VisibleBranch[] {
  const columns = findVisibleColumns(layout, view, width);
  const top = -view.ty / view.ky - 60 / view.ky;
  const bottom = (height - view.ty) / view.ky + 60 / view.ky;
  const seen: VisibleBranch[] = [];
  for (const branch of layout.branches) {
    const end = branch.nodes.length - 1;
    const low = Math.min(branch.column, branch.fork.x);
    const high = Math.max(branch.column, branch.fork.x);
    if (high < columns.from || low > columns.to) continue;
    if (branch.fork.y < top || branch.base - end * messageHeight > bottom) continue;
    const from = Math.max(0, Math.floor((branch.base - bottom) / messageHeight));
    const to = Math.min(end, Math.ceil((branch.base - top) / messageHeight));
    seen.push({ branch, from, to });
  }
  return seen;
}

/** Finds the message nearest to a point of the canvas; null if none is within touch distance. */
export function findNodeAtPoint(layout: MapLayout, view: MapView, x: number, y: number): NodeId | null {
  const reach = 14;
  let best: NodeId | null = null;
  let nearest = reach * reach;
  for (const branch of layout.branches) {
    const at = Math.round((branch.base - (y - view.ty) / view.ky) / messageHeight);
    const index = Math.max(0, Math.min(branch.nodes.length - 1, at));
    const spot = computeMessagePosition(layout, branch, index);
    const dx = spot.x * view.kx + view.tx - x;
    const dy = spot.y * view.ky + view.ty - y;
    const distance = dx * dx + dy * dy;
    if (distance >= nearest) continue;
    nearest = distance;
    best = branch.nodes[index]?.id ?? null;
  }
  return best;
}
