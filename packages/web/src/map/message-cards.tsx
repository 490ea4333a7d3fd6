import { replySourceOf } from '@coppice/client';
import type { NodeId, TopologyNode } from '@coppice/core';
import { type ReactElement, useMemo } from 'react';
import { t } from '../i18n/index.ts';
import { nameOfMessage } from '../markdown/message-name.ts';
import { useTree } from '../state/use-session.ts';
import { ModelName } from '../ui/model-name.tsx';
import { computeMessagePosition, messageHeight } from './layout.ts';
import type { MapModel } from './use-map.ts';
import { findVisibleColumns, type MapView } from './view.ts';

interface CardsProps {
  readonly model: MapModel;
  readonly view: MapView;
  readonly width: number;
  readonly height: number;
  readonly onOpen: (id: NodeId) => void;
}

interface CardPlace {
  readonly node: TopologyNode;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

// The largest number of cards; a screen fits fewer.
const most = 120;

/** Zoomed in, each message is a card. Cards are DOM elements, so that they can be read, focused and clicked. */
export function MessageCards({ model, view, width, height, onOpen }: CardsProps): ReactElement {
  const cards = useMemo(() => visibleCards(model, view, width, height), [model, view, width, height]);
  return (
    <div className="map-cards">
      {cards.map((card) => (
        <MapCard key={card.node.id} card={card} model={model} onOpen={onOpen} />
      ))}
    </div>
  );
}

function visibleCards(model: MapModel, view: MapView, width: number, height: number): readonly CardPlace[] {
  const cards: CardPlace[] = [];
  const columns = findVisibleColumns(model.layout, view, width);
  const w = Math.min(190, 47 * view.kx - 14);
  const h = Math.min(96, messageHeight * view.ky - 14);
  for (const branch of model.layout.branches) {
    if (branch.column < columns.from || branch.column > columns.to) continue;
    const from = Math.max(0, Math.floor((branch.base - (height + h - view.ty) / view.ky) / messageHeight));
    const to = Math.min(branch.nodes.length - 1, Math.ceil((branch.base + (view.ty + h) / view.ky) / messageHeight));
    for (let at = from; at <= to && cards.length < most; at++) {
      const node = branch.nodes[at];
      if (node === undefined) continue;
      const spot = computeMessagePosition(model.layout, branch, at);
      cards.push({ node, x: spot.x * view.kx + view.tx - w / 2, y: spot.y * view.ky + view.ty - h / 2, w, h });
    }
  }
  return cards;
}

function MapCard({
  card,
  model,
  onOpen,
}: {
  readonly card: CardPlace;
  readonly model: MapModel;
  readonly onOpen: (id: NodeId) => void;
}): ReactElement {
  const { node } = card;
  const full = useTree((state) => state.part?.nodes.get(node.id));
  const name = full === undefined ? null : replySourceOf(full.meta).model;
  const siblings = model.topology.children(node.parentId);
  const live = model.live.has(node.id);
  return (
    <button
      type="button"
      className={`mcard${node.role === 'user' ? ' you' : ''}${live ? ' live' : ''}`}
      style={{ transform: `translate(${card.x}px, ${card.y}px)`, width: card.w, height: card.h }}
      onClick={() => onOpen(node.id)}
    >
      <b>
        {node.role === 'user' ? (
          t('you')
        ) : node.kind !== 'message' ? (
          t('summary')
        ) : node.role === 'tool' ? (
          t('tool')
        ) : name === null ? (
          t('model')
        ) : (
          <ModelName model={name} />
        )}
        {siblings.length > 1 ? (
          <span className="num end">
            {siblings.findIndex((each) => each.id === node.id) + 1}/{siblings.length}
          </span>
        ) : null}
      </b>
      <span className="words" dir="auto">
        {nameOfMessage(node.preview, node.status)}
      </span>
    </button>
  );
}
