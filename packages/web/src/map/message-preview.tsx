import { replySourceOf } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { type ReactElement, useEffect, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { cherryPickMessage } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { startBranchAt } from '../thread/message-acts.ts';
import { Button } from '../ui/button.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { VariantRings } from '../ui/variant-rings.tsx';
import { computeMessagePosition } from './layout.ts';
import type { MapModel } from './use-map.ts';
import { phoneWidth } from './use-map-view.ts';
import type { MapView } from './view.ts';

interface PreviewProps {
  readonly model: MapModel;
  readonly view: MapView;
  readonly id: NodeId;
  readonly width: number;
  readonly height: number;
  readonly onOpen: (id: NodeId) => void;
  readonly onMerge: (id: NodeId) => void;
}

const previewLength = 400;
// A message that the pointer only passes over is not loaded.
const loadDelayMs = 120;

/** The beginning of a message and its model. A message that is not loaded is read from the server. */
function useMessageStart(id: NodeId): { readonly text: string | null; readonly model: string | null } {
  const session = useSession();
  const loaded = useTree((state) => state.part?.nodes.get(id));
  const [read, setRead] = useState<Node | null>(null);
  useEffect(() => {
    if (loaded !== undefined) return;
    const timer = setTimeout(() => {
      api
        .node(session.treeId, id)
        .then(({ node }) => setRead(node))
        .catch(() => undefined);
    }, loadDelayMs);
    return () => clearTimeout(timer);
  }, [session, id, loaded]);
  const node = loaded ?? (read?.id === id ? read : null);
  if (node === null) return { text: null, model: null };
  return { text: node.text.slice(0, previewLength), model: replySourceOf(node.meta).model };
}

/** A preview of a message: author, text, number of descendants, and actions. */
export function MessagePreview({ model, view, id, width, height, onOpen, onMerge }: PreviewProps): ReactElement | null {
  const start = useMessageStart(id);
  const node = model.topology.nodes.get(id);
  const spot = model.layout.spots.get(id);
  if (node === undefined || spot === undefined) return null;
  const { x, y } = computeMessagePosition(model.layout, spot.branch, spot.at);
  const sx = x * view.kx + view.tx;
  const sy = y * view.ky + view.ty;
  const left = sx + 330 > width ? sx - 320 : sx + 22;
  const siblings = model.topology.children(node.parentId);
  const at = siblings.findIndex((each) => each.id === id) + 1;
  const text = start.text ?? node.preview;
  const below = (spot.branch.weights[spot.at] ?? 1) - 1;
  const isPhone = width < phoneWidth;
  return (
    <div
      className="preview"
      role="status"
      style={isPhone ? {} : { left, top: Math.max(12, Math.min(height - 190, sy - 132)) }}
    >
      <div className="row head">
        {node.role === 'user' ? (
          <b>{t('you')}</b>
        ) : start.model === null ? (
          <b>{node.role === 'tool' ? t('tool') : t('model')}</b>
        ) : (
          <ModelName model={start.model} />
        )}
        <span className="grow" />
        {siblings.length > 1 ? (
          <span className="row num dim">
            <VariantRings count={siblings.length} at={at} />
            {at}/{siblings.length}
          </span>
        ) : null}
      </div>
      <p dir="auto">{text === '' ? '…' : text}</p>
      <div className="foot">
        {isPhone ? <PreviewButtons id={id} onOpen={onOpen} onMerge={onMerge} /> : <PreviewKeys />}
        <span className="grow" />
        <span className="num">{below === 0 ? t('tip') : tn('aboveIt', below)}</span>
      </div>
    </div>
  );
}

/** The actions on a phone, which has no keys. */
function PreviewButtons({ id, onOpen, onMerge }: Pick<PreviewProps, 'id' | 'onOpen' | 'onMerge'>): ReactElement {
  const session = useSession();
  const loaded = useTree((state) => state.part?.nodes.get(id));
  const branch = () => {
    if (loaded !== undefined) void startBranchAt(session, loaded).then(() => navigateTo(treeRoute(session.treeId)));
    else onOpen(id);
  };
  return (
    <>
      <Button small look="primary" onClick={() => onOpen(id)}>
        {t('open')}
      </Button>
      <Button small onClick={branch}>
        {t('branch')}
      </Button>
      <Button small onClick={() => void cherryPickMessage(session, id)}>
        {t('copyHere')}
      </Button>
      <Button small onClick={() => onMerge(id)}>
        {t('merge')}
      </Button>
    </>
  );
}

function PreviewKeys(): ReactElement {
  return (
    <>
      <span>
        <kbd>⏎</kbd> {t('open')}
      </span>
      <span>
        <kbd>B</kbd> {t('branch')}
      </span>
      <span>
        <kbd>P</kbd> {t('copyHere')}
      </span>
    </>
  );
}
