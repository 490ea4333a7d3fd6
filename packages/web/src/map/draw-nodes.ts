/** Draws messages: zoomed out only the ends of branches, closer every message by its shape. */
import type { NodeId, TopologyNode } from '@coppice/core';
import { ringSizesOf } from '../ui/variant-rings.tsx';
import { computeMessagePosition, type MapBranch } from './layout.ts';
import type { MapScene, VisibleBranch } from './map-scene.ts';

function drawDisc(context: CanvasRenderingContext2D, x: number, y: number, r: number): void {
  context.beginPath();
  context.arc(x, y, r, 0, Math.PI * 2);
}

/** Draws the ends of branches, and forks on the active path. */
export function drawBranchEnds(pen: MapScene, seen: readonly VisibleBranch[]): void {
  const { context, layout, view, palette } = pen;
  for (const { branch } of seen) {
    const end = branch.nodes.length - 1;
    const node = branch.nodes[end];
    if (node === undefined) continue;
    const { x, y } = computeMessagePosition(layout, branch, end);
    drawTip(pen, branch, node, x * view.kx + view.tx, y * view.ky + view.ty, 2.6);
  }
  // Forks on the active path are shown even when zoomed out: there the user can switch branches.
  for (const { branch, from, to } of seen) {
    if (branch.nodes[0] !== undefined && !pen.live.has(branch.nodes[0].id)) continue;
    for (const kid of branch.kids) {
      const node = branch.nodes[kid.forkAt];
      if (kid.forkAt < from || kid.forkAt > to || node === undefined || !pen.live.has(node.id)) continue;
      const { x, y } = computeMessagePosition(layout, branch, kid.forkAt);
      drawDisc(context, x * view.kx + view.tx, y * view.ky + view.ty, 3.2);
      context.fillStyle = palette.background;
      context.strokeStyle = palette.accent;
      context.lineWidth = 2;
      context.fill();
      context.stroke();
    }
  }
}

function drawTip(pen: MapScene, branch: MapBranch, node: TopologyNode, x: number, y: number, r: number): void {
  const { context, palette } = pen;
  const here = node.id === pen.leaf;
  if (here) {
    context.globalAlpha = 0.55;
    context.fillStyle = palette['accent-line'];
    drawDisc(context, x, y, r * 2.5);
    context.fill();
    context.globalAlpha = 1;
  }
  context.fillStyle = pen.modelColour(branch);
  context.strokeStyle = palette.background;
  context.lineWidth = 1.5;
  drawDisc(context, x, y, here ? r * 1.4 : r);
  context.fill();
  context.stroke();
  drawState(pen, node, x, y);
}

function drawState({ context, palette }: MapScene, node: TopologyNode, x: number, y: number): void {
  if (node.status === 'interrupted' || node.status === 'aborted') {
    context.strokeStyle = palette.warning;
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(x - 8, y - 7);
    context.lineTo(x + 8, y - 13);
    context.stroke();
  } else if (node.status === 'error') {
    context.strokeStyle = palette.danger;
    context.lineWidth = 2.2;
    context.beginPath();
    context.moveTo(x - 4, y - 13);
    context.lineTo(x + 4, y - 6);
    context.moveTo(x + 4, y - 13);
    context.lineTo(x - 4, y - 6);
    context.stroke();
  }
}

/** Draws every message of the visible branches by its shape. */
export function drawNodes(pen: MapScene, seen: readonly VisibleBranch[]): void {
  const { context, layout, view } = pen;
  for (const { branch, from, to } of seen) {
    for (let at = from; at <= to; at++) {
      const node = branch.nodes[at];
      if (node === undefined) continue;
      const spot = computeMessagePosition(layout, branch, at);
      const x = spot.x * view.kx + view.tx;
      const y = spot.y * view.ky + view.ty;
      context.globalAlpha = pen.hidden(node) ? 0.25 : 1;
      drawNode(pen, branch, node, at, x, y);
      context.globalAlpha = 1;
    }
  }
}

function drawNode(pen: MapScene, branch: MapBranch, node: TopologyNode, at: number, x: number, y: number): void {
  const { context, palette } = pen;
  const alive = pen.live.has(node.id);
  const colour = alive ? palette.accent : palette.inactive;
  const kids = pen.childCount(node.id);
  if (kids > 1) drawRings(pen, node.id, kids, alive, x, y);
  else if (at === branch.nodes.length - 1) drawTip(pen, branch, node, x, y, 4.6);
  else if (node.kind !== 'message') {
    context.fillStyle = palette.background;
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
    context.fillStyle = you ? colour : palette.background;
    context.strokeStyle = you ? palette.background : colour;
    context.lineWidth = alive ? 2 : 1.6;
    drawDisc(context, x, y, you ? 3.9 : 3.5);
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
    drawDisc(context, x, y, 10);
    context.stroke();
  }
}

function drawRings(
  { context, palette, liveChild }: MapScene,
  id: NodeId,
  count: number,
  alive: boolean,
  x: number,
  y: number,
): void {
  const outer = 3.4 + Math.min(count, 4) * 2.1;
  context.fillStyle = palette.background;
  drawDisc(context, x, y, outer + 2);
  context.fill();
  const { radii, lit } = ringSizesOf(count, alive ? liveChild(id) : 0, outer + 1);
  for (const [index, radius] of radii.entries()) {
    const on = alive && index + 1 === lit;
    context.strokeStyle = on ? palette.accent : palette.inactive;
    context.lineWidth = on ? 2.2 : 1.2;
    drawDisc(context, x, y, radius);
    context.stroke();
  }
}
