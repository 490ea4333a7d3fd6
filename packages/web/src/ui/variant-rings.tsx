import type { ReactElement } from 'react';

/** The radii of the rings within a circle of radius `c`, and which one is highlighted. At most four rings are drawn. */
export function ringSizesOf(
  count: number,
  at: number,
  c: number,
): { readonly radii: readonly number[]; readonly lit: number } {
  const shown = Math.min(count, 4);
  const step = (c - 1) / shown;
  const radii: number[] = [];
  for (let ring = 1; ring <= shown; ring++) radii.push(step * ring - (ring === 1 ? step * 0.25 : 0));
  const lit = count <= 4 ? at : Math.max(1, Math.min(4, Math.round((at / count) * 4)));
  return { radii, lit };
}

/** Rings: one for each variant, with the current one highlighted (`at` counts from one). */
export function VariantRings({
  count,
  at,
  size = 16,
}: {
  readonly count: number;
  readonly at: number;
  readonly size?: number;
}): ReactElement {
  const width = size === 16 && count > 3 ? 18 : size;
  const { radii, lit } = ringSizesOf(count, at, width / 2);
  return (
    <svg className="rings" width={width} height={width} viewBox={`0 0 ${width} ${width}`} aria-hidden="true">
      {radii.map((radius, index) => (
        <circle
          key={radius}
          cx={width / 2}
          cy={width / 2}
          r={radius}
          className={index + 1 === lit ? 'lit' : undefined}
        />
      ))}
    </svg>
  );
}
