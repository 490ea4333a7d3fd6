import type { ReactElement } from 'react';
import type { TreeView } from '../state/wire.ts';
import { Stool, stemsFor } from './stool.tsx';

/** The silhouette of a tree of a list. */
export function TreeStool({
  tree,
  width,
  height,
}: {
  readonly tree: TreeView;
  readonly width?: number;
  readonly height?: number;
}): ReactElement {
  return (
    <Stool
      stems={stemsFor(tree.id, tree.messageCount)}
      {...(width === undefined ? {} : { width })}
      {...(height === undefined ? {} : { height })}
    />
  );
}
