/** The viewport of the map: a scale for each direction and the position of the root. */
import { computeColumnX, computeMessagePosition, type MapLayout } from './layout.ts';

/** Maps layout positions to pixels. */
export interface MapView {
  readonly kx: number;
  readonly ky: number;
  readonly tx: number;
  readonly ty: number;
}

/** The level of detail: branches; messages; cards. */
export type ZoomLevel = 'far' | 'mid' | 'near';

/** Returns the level of detail that a view is drawn with. */
export function zoomLevelOf(view: Pick<MapView, 'ky'>): ZoomLevel {
  return view.ky < 0.75 ? 'far' : view.ky > 2 ? 'near' : 'mid';
}

/** The scales of the three levels, for their buttons. */
export const zoomScales: Readonly<Record<ZoomLevel, number>> = { far: 0.5, mid: 1, near: 4.4 };

/** A frame in pixels, with margins. */
export interface ViewFrame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Fits the whole tree into a frame, each direction with its own scale, at most `most`. */
export function fitView(layout: MapLayout, frame: ViewFrame, most = 1): MapView {
  const wide = Math.max(1, layout.right - layout.left);
  const kx = Math.min(most, (frame.width - frame.left - frame.right) / wide);
  const ky = Math.min(most * 1.1, (frame.height - frame.top - frame.bottom) / Math.max(60, layout.height));
  const space = frame.width - frame.left - frame.right - wide * kx;
  return { kx, ky, tx: frame.left + space / 2 - layout.left * kx, ty: frame.height - frame.bottom };
}

/** The pixels per layout unit in both directions. */
export type MapScales = Pick<MapView, 'kx' | 'ky'>;

const mostScale = 6;
const fitMargin = 40;

/** The smallest scales: the whole tree is visible. A small tree is not reduced below the far level. */
export function computeSmallestScales(layout: MapLayout, frame: Pick<ViewFrame, 'width' | 'height'>): MapScales {
  const margins = { left: fitMargin, right: fitMargin, top: fitMargin, bottom: fitMargin };
  const whole = fitView(layout, { ...frame, ...margins });
  return { kx: Math.min(zoomScales.far, whole.kx), ky: Math.min(zoomScales.far, whole.ky) };
}

/**
 * The factors by which a view can still be enlarged or reduced; 1 at a bound. Both directions change by the same
 * factor.
 */
export function computeZoomBounds(
  view: MapScales,
  least: MapScales,
): { readonly least: number; readonly most: number } {
  return {
    least: Math.min(1, Math.max(1e-6, Math.min(least.kx / view.kx, least.ky / view.ky))),
    most: Math.max(1, Math.min(mostScale / view.kx, mostScale / view.ky)),
  };
}

/** Scales a view about a point of the screen, within its bounds. */
export function zoomView(view: MapView, by: number, x: number, y: number, smallest: MapScales): MapView {
  const { least, most } = computeZoomBounds(view, smallest);
  const factor = Math.min(most, Math.max(least, by));
  return {
    kx: view.kx * factor,
    ky: view.ky * factor,
    tx: x - (x - view.tx) * factor,
    ty: y - (y - view.ty) * factor,
  };
}

const inSightPx = 80;

/** Moves a view so that a part of the tree stays visible. */
export function keepTreeVisible(layout: MapLayout, view: MapView, frame: Pick<ViewFrame, 'width' | 'height'>): MapView {
  const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));
  // The root is at the bottom: positions above it are negative.
  const tx = within(view.tx, inSightPx - layout.right * view.kx, frame.width - inSightPx - layout.left * view.kx);
  const ty = within(view.ty, inSightPx, frame.height - inSightPx + layout.height * view.ky);
  return tx === view.tx && ty === view.ty ? view : { ...view, tx, ty };
}

/** Returns the view with a message in the centre, at the same scale in both directions. */
export function centreViewOnMessage(
  layout: MapLayout,
  frame: Pick<ViewFrame, 'width' | 'height'>,
  spot: { readonly branch: MapLayout['branches'][number]; readonly at: number },
  scale: number,
): MapView {
  const { x, y } = computeMessagePosition(layout, spot.branch, spot.at);
  return { kx: scale, ky: scale, tx: frame.width / 2 - x * scale, ty: frame.height / 2 - y * scale };
}

/** The visible columns as layout positions, with a margin on both sides. */
export function findVisibleColumns(
  layout: MapLayout,
  view: MapView,
  width: number,
): { readonly from: number; readonly to: number } {
  const margin = 80 / view.kx;
  const from = -view.tx / view.kx - margin;
  const to = (width - view.tx) / view.kx + margin;
  // Columns lean by at most this much.
  const most = Math.abs(computeColumnX(layout, layout.right, -900) - layout.right);
  return { from: from - most, to: to + most };
}
