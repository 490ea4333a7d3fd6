import { leafInTopology, type Topology } from '@coppice/client';
import type { NodeId, OutlineLine, TopologyNode } from '@coppice/core';
import { outlineOf } from '@coppice/core/tree';
import { type CSSProperties, type ReactElement, type ReactNode, useMemo } from 'react';
import { useBranch, useTopology, useTreeState } from '../hooks.ts';
import { useLabels } from '../labels.ts';

/** The props of {@link Outline}. */
export interface OutlineProps {
  /** Called when a message is chosen. Without it the outline shows the branch of that message. */
  readonly onSelect?: (id: NodeId) => void;
  readonly renderLine?: (node: TopologyNode) => ReactNode;
  /** The maximum number of lines; 500 by default. */
  readonly limit?: number;
}

function outlineLines(topology: Topology, leaf: NodeId | null, limit: number): readonly OutlineLine[] {
  return outlineOf(
    {
      node: (id) => topology.nodes.get(id),
      children: (id) => topology.children(id),
      topNodes: topology.children(topology.rootId),
    },
    { current: leaf, shows: () => true, fold: null, branches: 'all', limit },
  ).lines;
}

/** The messages of all branches, indented at each fork; the shown branch is marked. */
export function Outline({ onSelect, renderLine, limit = 500 }: OutlineProps): ReactElement {
  const labels = useLabels();
  const { topology, stamp } = useTopology();
  const { show } = useBranch();
  const leaf = useTreeState(leafInTopology);
  const lines = useMemo(
    () => (topology === null || stamp < 0 ? [] : outlineLines(topology, leaf, limit)),
    [topology, stamp, leaf, limit],
  );
  return (
    <nav className="coppice-outline" aria-label={labels.outline}>
      <ul>
        {lines.map(({ node, depth, onPath }) => {
          // React's types do not include CSS custom properties.
          const style: CSSProperties & Record<'--depth', number> = { '--depth': depth };
          return (
            <li key={node.id} style={style} data-role={node.role} data-shown={onPath}>
              <button
                type="button"
                aria-current={node.id === leaf ? 'location' : undefined}
                onClick={() => (onSelect === undefined ? void show(node.id) : onSelect(node.id))}
              >
                {renderLine?.(node) ?? node.preview}
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
