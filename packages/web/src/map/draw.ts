/** Draws the visible part of the map on a canvas: lines by weight, the active path green, details by zoom level. */
import { drawNodes, drawTips } from './draw-nodes.ts';
import { drawMerges, drawRoot, drawStems } from './draw-stems.ts';
import { drawTitles } from './draw-titles.ts';
import { type MapScene, type SceneOptions, seenBranches } from './map-scene.ts';
import { levelOf } from './view.ts';

export { nodeAtPoint, type SceneOptions } from './map-scene.ts';

export function drawMap(context: CanvasRenderingContext2D, drawing: SceneOptions): void {
  const level = drawing.mini === true ? 'far' : (drawing.level ?? levelOf(drawing.view));
  const thick = drawing.mini === true ? 0.42 : level === 'far' ? 0.72 : level === 'near' ? 1.35 : 1;
  const pen: MapScene = { ...drawing, context, level, thick };
  context.clearRect(0, 0, drawing.width, drawing.height);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  drawRoot(pen);
  const seen = seenBranches(pen);
  drawStems(pen, seen);
  if (drawing.mini === true) return;
  drawMerges(pen);
  if (level === 'far') drawTips(pen, seen);
  else if (level === 'mid') drawNodes(pen, seen);
  if (level !== 'near') drawTitles(pen, seen);
}
