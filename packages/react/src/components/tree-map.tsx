import { findViewEndInTopology } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { type ReactElement, useMemo } from 'react';
import { useTopology, useTreeState } from '../hooks.ts';
import { useLabels } from '../labels.ts';
import { layOutMap } from '../map-layout.ts';
import { useShowMessage } from './show-message.ts';

/** The props of {@link TreeMap}. */
export interface TreeMapProps {
  /** Called when a message is chosen. Without it the map shows the branch of that message. */
  readonly onSelect?: (id: NodeId) => void;
  /** The maximum number of messages that are drawn; 2000 by default. */
  readonly limit?: number;
}

const step = 24;
const size = 12;

/**
 * Renders the whole tree, with one column for each branch. The shown branch is marked; a click shows the branch of a
 * message.
 */
export function TreeMap({ onSelect, limit = 2000 }: TreeMapProps): ReactElement {
  const labels = useLabels();
  const { topology, stamp } = useTopology();
  const show = useShowMessage();
  const leaf = useTreeState(findViewEndInTopology);
  const nodes = useMemo(
    () => (topology === null || stamp < 0 ? [] : layOutMap(topology, leaf, limit)),
    [topology, stamp, leaf, limit],
  );
  let [columns, rows] = [1, 1];
  for (const { column, row } of nodes) {
    columns = Math.max(columns, column + 1);
    rows = Math.max(rows, row + 1);
  }
  const [width, height] = [columns * step, rows * step];
  const at = (index: number) => index * step + step / 2;
  return (
    <nav className="coppice-map" aria-label={labels.map} style={{ position: 'relative', width, height }}>
      <svg width={width} height={height} aria-hidden="true">
        {nodes.map(({ node, column, row, from, isShown }) =>
          from === null ? null : (
            <path
              key={node.id}
              data-shown={isShown}
              d={`M${at(from.column)} ${at(from.row)}C${at(from.column)} ${at(row)} ${at(column)} ${at(from.row)} ${at(column)} ${at(row)}`}
              fill="none"
              stroke="currentColor"
            />
          ),
        )}
      </svg>
      {nodes.map(({ node, column, row, isShown }) => (
        <button
          key={node.id}
          type="button"
          title={node.preview}
          aria-label={node.preview}
          aria-current={node.id === leaf ? 'location' : undefined}
          data-role={node.role}
          data-shown={isShown}
          style={{
            position: 'absolute',
            left: at(column) - size / 2,
            top: at(row) - size / 2,
            width: size,
            height: size,
            padding: 0,
          }}
          onClick={() => (onSelect === undefined ? show(node.id) : onSelect(node.id))}
        />
      ))}
    </nav>
  );
}
