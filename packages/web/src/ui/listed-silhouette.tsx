import type { TreeId } from '@coppice/core';
import { type ReactElement, useEffect, useRef } from 'react';
import { requestSilhouette, useSilhouettes } from '../state/silhouettes.ts';
import { type SilhouetteBranch, TreeSilhouette } from './tree-silhouette.tsx';

interface ListedSilhouetteProps {
  readonly tree: { readonly id: TreeId; readonly version?: number };
  readonly width?: number;
  readonly height?: number;
}

const none: readonly SilhouetteBranch[] = [];

/** The silhouette of a tree in a list. Loaded when visible, with a placeholder until then. */
export function ListedSilhouette({ tree, ...size }: ListedSilhouetteProps): ReactElement {
  const { id, version = 0 } = tree;
  const stems = useSilhouettes((state) => state.shapes.get(id)?.stems ?? none);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new IntersectionObserver((seen) => {
      if (seen.some((entry) => entry.isIntersecting)) requestSilhouette(id, version);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [id, version]);
  return (
    <span ref={place} className="stool-place">
      <TreeSilhouette stems={stems} {...size} />
    </span>
  );
}
