import { Topology } from '@coppice/client';
import { nodeId, type TopologyNode } from '@coppice/core';
import { expect, test } from 'vitest';
import { layOutTree } from './layout.ts';
import { computeSmallestScales, computeZoomBounds, fitView, keepTreeVisible, type MapView, zoomView } from './view.ts';

const frame = { width: 800, height: 600 };

function chain(length: number) {
  const nodes = Array.from(
    { length },
    (_, at): TopologyNode => ({
      id: nodeId(`n${at}`),
      parentId: nodeId(at === 0 ? 'root' : `n${at - 1}`),
      role: at % 2 === 0 ? 'user' : 'assistant',
      kind: 'message',
      status: 'success',
      groupId: 0,
      seq: at,
      position: `a${String(at).padStart(6, '0')}`,
      preview: '',
      tokens: 1,
      createdAt: at,
      childCount: at + 1 === length ? 0 : 1,
      hasChildren: at + 1 < length,
    }),
  );
  return layOutTree(new Topology(nodeId('root'), nodes, []));
}

test('[B302] the map zooms out to the whole tree at most, and in to one card at most', () => {
  for (const layout of [chain(3), chain(5_000)]) {
    const least = computeSmallestScales(layout, frame);
    let view: MapView = { kx: 1, ky: 1, tx: 400, ty: 500 };
    for (let step = 0; step < 200; step++) view = zoomView(view, 0.8, 400, 300, least);
    const height = layout.height * view.ky;
    expect(height).toBeLessThanOrEqual(frame.height);
    // Either the whole tree is visible, or the scale is that of the far level, and never smaller.
    expect(height > frame.height * 0.8 || view.ky >= 0.4).toBe(true);
    expect(computeZoomBounds(view, least).least).toBeCloseTo(1);
    for (let step = 0; step < 200; step++) view = zoomView(view, 1.25, 400, 300, least);
    expect(view.ky).toBeCloseTo(6);
    expect(computeZoomBounds(view, least).most).toBeCloseTo(1);
  }
});

test('[B302] a part of the tree stays visible however far the map is dragged', () => {
  const layout = chain(200);
  const whole = fitView(layout, { ...frame, left: 40, right: 40, top: 40, bottom: 40 });
  expect(keepTreeVisible(layout, whole, frame)).toBe(whole);
  for (const [dx, dy] of [
    [5_000, 0],
    [-5_000, 0],
    [0, 5_000],
    [0, -5_000],
  ] as const) {
    const kept = keepTreeVisible(layout, { ...whole, tx: whole.tx + dx, ty: whole.ty + dy }, frame);
    expect(layout.right * kept.kx + kept.tx).toBeGreaterThan(0);
    expect(layout.left * kept.kx + kept.tx).toBeLessThan(frame.width);
    expect(kept.ty).toBeGreaterThan(0);
    expect(kept.ty - layout.height * kept.ky).toBeLessThan(frame.height);
  }
});
