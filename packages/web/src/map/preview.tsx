import { replySourceOf } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { type ReactElement, useEffect, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { cherryPickMessage } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { branchHere } from '../thread/message-acts.ts';
import { Button } from '../ui/button.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { VariantRings } from '../ui/variant-rings.tsx';
import { messagePosition } from './layout.ts';
import type { MapModel } from './use-map.ts';
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

/** A preview of a message: author, text, number of descendants, and actions. */
export function MessagePreview({ model, view, id, width, height, onOpen, onMerge }: PreviewProps): ReactElement | null {
  const session = useSession();
  const loaded = useTree((state) => state.part?.nodes.get(id));
  const [read, setRead] = useState<{
    readonly id: NodeId;
    readonly text: string;
    readonly model: string | null;
  } | null>(null);
  useEffect(() => {
    if (loaded !== undefined) return;
    // Delayed, so that just passing over a message loads nothing.
    const timer = setTimeout(() => {
      api
        .node(session.treeId, id)
        .then(({ node }) => setRead({ id, text: node.text.slice(0, 400), model: replySourceOf(node.meta).model }))
        .catch(() => undefined);
    }, 120);
    return () => clearTimeout(timer);
  }, [session, id, loaded]);
  const node = model.topology.nodes.get(id);
  const spot = model.layout.spots.get(id);
  if (node === undefined || spot === undefined) return null;
  const { x, y } = messagePosition(model.layout, spot.branch, spot.at);
  const sx = x * view.kx + view.tx;
  const sy = y * view.ky + view.ty;
  const left = sx + 330 > width ? sx - 320 : sx + 22;
  const siblings = model.topology.children(node.parentId);
  const at = siblings.findIndex((each) => each.id === id) + 1;
  const text = loaded?.text.slice(0, 400) ?? (read?.id === id ? read.text : node.preview);
  const name = loaded === undefined ? (read?.id === id ? read.model : null) : replySourceOf(loaded.meta).model;
  const above = (spot.branch.weights[spot.at] ?? 1) - 1;
  const phone = width < 720;
  return (
    <div
      className="preview"
      role="status"
      style={phone ? {} : { left, top: Math.max(12, Math.min(height - 190, sy - 132)) }}
    >
      <div className="row head">
        {node.role === 'user' ? (
          <b>{t('you')}</b>
        ) : name === null ? (
          <b>{node.role === 'tool' ? t('tool') : t('model')}</b>
        ) : (
          <ModelName model={name} />
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
        {phone ? (
          <>
            <Button small look="primary" onClick={() => onOpen(id)}>
              {t('open')}
            </Button>
            <Button
              small
              onClick={() => {
                if (loaded !== undefined)
                  void branchHere(session, loaded).then(() => navigateTo(treeRoute(session.treeId)));
                else onOpen(id);
              }}
            >
              {t('branch')}
            </Button>
            <Button small onClick={() => void cherryPickMessage(session, id)}>
              {t('copyHere')}
            </Button>
            <Button small onClick={() => onMerge(id)}>
              {t('merge')}
            </Button>
          </>
        ) : (
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
        )}
        <span className="grow" />
        <span className="num">{above === 0 ? t('tip') : tn('aboveIt', above)}</span>
      </div>
    </div>
  );
}
