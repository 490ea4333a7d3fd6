import { type TreeSession, toHttpProblem } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import type { KeyboardEvent } from 'react';
import { navigateTo, treeRoute } from '../state/router.ts';
import { cherryPickMessage, showError } from '../state/tree-actions.ts';
import { zoomFactor } from './map-zoom.tsx';
import type { MapModel } from './use-map.ts';

/** The state of the map that keys read and change. */
interface MapKeyScope {
  readonly session: TreeSession;
  readonly model: MapModel;
  readonly focus: NodeId | null;
  readonly show: (id: NodeId) => void;
  readonly setFocus: (id: NodeId | null) => void;
  readonly openMessage: (id: NodeId) => void;
  readonly zoom: (by: number) => void;
  readonly showWhole: () => void;
  readonly search: () => void;
}

/** Runs the action of a key; other keys, and shortcuts of the browser such as printing, are left to the page. */
export function handleMapKey(event: KeyboardEvent, scope: MapKeyScope): void {
  if (event.ctrlKey || event.metaKey || !runMapKey(event.key, scope)) return;
  event.preventDefault();
  event.stopPropagation();
}

function runMapKey(key: string, scope: MapKeyScope): boolean {
  const { session, model, focus } = scope;
  const at = focus ?? model.leaf;
  const next = at === null ? null : neighbourNode(model, at, key);
  if (next !== null) scope.show(next);
  else if (key === 'Enter' && focus !== null) scope.openMessage(focus);
  else if (key.toLowerCase() === 'b' && focus !== null)
    void session.go(focus, { leaf: focus }).then(
      () => navigateTo(treeRoute(session.treeId)),
      (thrown) => showError(toHttpProblem(thrown)),
    );
  else if (key.toLowerCase() === 'p' && focus !== null) void cherryPickMessage(session, focus);
  else if (key === '+' || key === '=') scope.zoom(zoomFactor);
  else if (key === '-') scope.zoom(1 / zoomFactor);
  else if (key === '0') scope.showWhole();
  else if (key === '/') scope.search();
  else if (key === 'Escape' && focus !== null) scope.setFocus(null);
  else return false;
  return true;
}

/** The target of an arrow key: up to the child, down to the parent, left and right to variants. */
function neighbourNode(model: MapModel, id: NodeId, key: string): NodeId | null {
  const node = model.topology.nodes.get(id);
  if (node === undefined) return null;
  if (key === 'ArrowUp') {
    const kids = model.topology.children(id);
    return (kids.find((kid) => model.live.has(kid.id)) ?? kids[0])?.id ?? null;
  }
  if (key === 'ArrowDown') return model.topology.nodes.has(node.parentId) ? node.parentId : null;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return null;
  const siblings = model.topology.children(node.parentId);
  const at = siblings.findIndex((sibling) => sibling.id === id);
  return siblings[at + (key === 'ArrowRight' ? 1 : -1)]?.id ?? null;
}
