import { findViewEndInTopology } from '@coppice/client';
import type { NodeId, TopologyNode } from '@coppice/core';
import { type CSSProperties, type ReactElement, type ReactNode, useMemo, useState } from 'react';
import { useTopology, useTreeState } from '../hooks.ts';
import { useLabels } from '../labels.ts';
import { buildOutlineItems, type OutlineItem, type OutlineOptions } from '../outline-items.ts';
import { useShowMessage } from './show-message.ts';

/** What a list of outline items is rendered from. */
export interface OutlineListProps {
  readonly items: readonly OutlineItem[];
  /** The last message of the shown branch. */
  readonly leaf: NodeId | null;
  /** Shows the branch of a message, or unfolds a run. */
  readonly onSelect: (item: OutlineItem) => void;
}

/** The props of {@link Outline}. */
export interface OutlineProps extends OutlineOptions {
  /** Called when a message is chosen. Without it the outline shows the branch of that message. */
  readonly onSelect?: (id: NodeId) => void;
  readonly renderLine?: (node: TopologyNode) => ReactNode;
  /** Renders the items in your own way, for example as a virtual list; by default they are an `ul` of buttons. */
  readonly renderList?: (list: OutlineListProps) => ReactNode;
  /** Classes in addition to `coppice-outline`. */
  readonly className?: string;
}

/**
 * Renders the messages of all branches, indented at each fork; the shown branch is marked. Pass the same function as
 * `shows` in every render, because the outline is computed again when `shows` changes.
 */
export function Outline(props: OutlineProps): ReactElement {
  const { onSelect, renderLine, renderList, className = '', shows, branches, foldFrom, limit } = props;
  const labels = useLabels();
  const { topology, stamp } = useTopology();
  const show = useShowMessage();
  const leaf = useTreeState(findViewEndInTopology);
  const [opened, setOpened] = useState<ReadonlySet<NodeId>>(new Set());
  const items = useMemo(
    () =>
      topology === null || stamp < 0
        ? []
        : buildOutlineItems(topology, leaf, opened, { shows, branches, foldFrom, limit }),
    [topology, stamp, leaf, opened, shows, branches, foldFrom, limit],
  );
  const select = (item: OutlineItem) => {
    if (item.kind === 'fold') setOpened(new Set(opened).add(item.id));
    else if (onSelect === undefined) show(item.node.id);
    else onSelect(item.node.id);
  };
  const list = { items, leaf, onSelect: select };
  return (
    <nav className={`coppice-outline ${className}`.trim()} aria-label={labels.outline}>
      {renderList === undefined ? (
        <OutlineList {...list} {...(renderLine === undefined ? {} : { renderLine })} />
      ) : (
        renderList(list)
      )}
    </nav>
  );
}

function OutlineList({
  items,
  leaf,
  onSelect,
  renderLine,
}: OutlineListProps & Pick<OutlineProps, 'renderLine'>): ReactElement {
  const labels = useLabels();
  return (
    <ul>
      {items.map((item) => {
        if (item.kind === 'fold')
          return (
            <li key={`fold ${item.id}`} data-shown={true}>
              <button type="button" aria-expanded={false} onClick={() => onSelect(item)}>
                {labels.foldedMessages(item.count)}
              </button>
            </li>
          );
        const { node, depth, onPath } = item;
        // React's types do not include CSS custom properties.
        const style: CSSProperties & Record<'--depth', number> = { '--depth': depth };
        return (
          <li key={node.id} style={style} data-role={node.role} data-shown={onPath}>
            <button
              type="button"
              aria-current={node.id === leaf ? 'location' : undefined}
              onClick={() => onSelect(item)}
            >
              {renderLine?.(node) ?? node.preview}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
