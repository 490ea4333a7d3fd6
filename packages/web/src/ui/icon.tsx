import type { ReactElement } from 'react';
import { type IconName, type IconShape, iconShapes } from './icon-shapes.ts';

export type { IconName } from './icon-shapes.ts';

/** Icons that point in reading direction; they are mirrored for languages that are read from right to left. */
const mirrored: ReadonlySet<IconName> = new Set(['left', 'right', 'undo', 'wrap', 'outline', 'panel', 'lines', 'menu']);

/** An icon. It is decorative: the control around it has the label. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactElement {
  const list: readonly IconShape[] = iconShapes[name];
  return (
    <svg
      className={mirrored.has(name) ? 'ic mirrored' : 'ic'}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {list.map((shape) => drawShape(shape))}
    </svg>
  );
}

function drawShape(shape: IconShape): ReactElement {
  const fill = shape.fill === true ? 'currentColor' : undefined;
  if ('d' in shape) return <path key={shape.d} d={shape.d} fill={fill} />;
  if ('r' in shape)
    return <circle key={`${shape.cx} ${shape.cy}`} cx={shape.cx} cy={shape.cy} r={shape.r} fill={fill} />;
  const { x, y, width, height, rx } = shape;
  return <rect key={`${x} ${y}`} x={x} y={y} width={width} height={height} rx={rx} fill={fill} />;
}
