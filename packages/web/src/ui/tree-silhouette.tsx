import type { ReactElement } from 'react';

/** One branch of a silhouette: its length, and whether it is the active one. */
export interface SilhouetteBranch {
  readonly height: number;
  readonly active: boolean;
}

interface TreeSilhouetteProps {
  readonly stems: readonly SilhouetteBranch[];
  readonly width?: number;
  readonly height?: number;
}

/** The silhouette of a tree: a line for each branch, green for the active one. */
export function TreeSilhouette({ stems, width = 30, height = 22 }: TreeSilhouetteProps): ReactElement {
  let highest = 1;
  for (const stem of stems) highest = Math.max(highest, stem.height);
  // A small tree is drawn smaller than a large one, but never too small to be recognised.
  const grown = Math.min(1, 0.62 + 0.095 * Math.log2(highest));
  const paths = stems.map((stem, index) => ({
    ...stem,
    d: stemPath(grown * Math.sqrt(stem.height / highest), index, stems.length, width, height),
  }));
  return (
    <span className="stool" aria-hidden="true">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        fill="none"
        strokeLinecap="round"
        aria-hidden="true"
      >
        {paths
          .filter((path) => !path.active)
          .map((path) => (
            <path key={path.d} d={path.d} />
          ))}
        {paths
          .filter((path) => path.active)
          .map((path) => (
            <path key={path.d} className="active-line" d={path.d} />
          ))}
        <path className="base-line" d={`M${width * 0.28} ${height - 1.6}h${width * 0.44}`} />
      </svg>
    </span>
  );
}

function stemPath(share: number, index: number, count: number, width: number, height: number): string {
  const end = count === 1 ? width / 2 : 3 + ((width - 6) * index) / (count - 1);
  const x = width / 2 + (end - width / 2) * (0.4 + 0.6 * share);
  const base = width / 2 + (end - width / 2) * 0.2;
  const top = height - 4 - (height - 6) * share;
  const floor = height - 3;
  const rise = floor - top;
  const f = (value: number) => value.toFixed(1);
  return `M${f(base)} ${floor}C${f(base)} ${f(floor - rise * 0.38)} ${f(x)} ${f(floor - rise * 0.42)} ${f(x)} ${f(top)}`;
}
