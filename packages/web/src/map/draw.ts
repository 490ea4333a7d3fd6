/** Draws the visible part of the map on a canvas: lines by weight, the active path green, details by zoom level. */

import { drawBranchLines, drawMerges, drawRoot } from './draw-branch-lines.ts';
import { drawBranchEnds, drawNodes } from './draw-nodes.ts';
import { drawTitles } from './draw-titles.ts';
import { findVisibleBranches, type MapScene, type SceneOptions } from './map-scene.ts';
import { zoomLevelOf } from './view.ts';

export { findNodeAtPoint, type SceneOptions } from './map-scene.ts';

export function drawMap(context: CanvasRenderingContext2D, drawing: SceneOptions): void {
  const level = drawing.mini === true ? 'far' : (drawing.level ?? zoomLevelOf(drawing.view));
  const thick = drawing.mini === true ? 0.42 : level === 'far' ? 0.72 : level === 'near' ? 1.35 : 1;
  const pen: MapScene = { ...drawing, context, level, thick };
  context.clearRect(0, 0, drawing.width, drawing.height);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  drawRoot(pen);
  const seen = findVisibleBranches(pen);
  drawBranchLines(pen, seen);
  if (drawing.mini === true) return;
  drawMerges(pen);
  if (level === 'far') drawBranchEnds(pen, seen);
  else if (level === 'mid') drawNodes(pen, seen);
  if (level !== 'near') drawTitles(pen, seen);
}
