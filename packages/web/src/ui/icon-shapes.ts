/** The icon shapes: 16 px, a stroke of 1.4, round. Each has paths, circles and boxes. */
export type IconShape =
  | { readonly d: string; readonly fill?: true }
  | { readonly cx: number; readonly cy: number; readonly r: number; readonly fill?: true }
  | {
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly rx: number;
      readonly fill?: true;
    };

/** All icons by name. */
export const shapes = {
  search: [{ cx: 7.0, cy: 7.0, r: 4.3 }, { d: 'm10.3 10.3 3.2 3.2' }],
  plus: [{ d: 'M8 3.2v9.6M3.2 8h9.6' }],
  minus: [{ d: 'M3.2 8h9.6' }],
  up: [{ d: 'm4 9.6 4-3.8 4 3.8' }],
  fit: [{ d: 'M2.8 6V2.8H6M10 2.8h3.2V6M13.2 10v3.2H10M6 13.2H2.8V10' }],
  left: [{ d: 'M9.6 4 5.8 8l3.8 4' }],
  right: [{ d: 'M6.4 4l3.8 4-3.8 4' }],
  down: [{ d: 'm4 6.4 4 3.8 4-3.8' }],
  fork: [
    { d: 'M8 14V9.6M8 9.6C8 6.4 4 7 4 3.6M8 9.6C8 6.4 12 7 12 3.6' },
    { cx: 4.0, cy: 2.8, r: 1.0 },
    { cx: 12.0, cy: 2.8, r: 1.0 },
  ],
  edit: [{ d: 'M3 13l.6-2.8 7-7a1.4 1.4 0 0 1 2 0l.2.2a1.4 1.4 0 0 1 0 2l-7 7L3 13Z' }],
  again: [{ d: 'M13 8a5 5 0 1 1-1.6-3.7' }, { d: 'M13.2 2.4v2.9h-2.9' }],
  compare: [
    { x: 2.4, y: 3.0, width: 4.6, height: 10.0, rx: 1.2 },
    { x: 9.0, y: 3.0, width: 4.6, height: 10.0, rx: 1.2 },
  ],
  mark: [{ d: 'M4.6 2.6h6.8v10.8L8 10.7l-3.4 2.7V2.6Z' }],
  markon: [{ d: 'M4.6 2.6h6.8v10.8L8 10.7l-3.4 2.7V2.6Z', fill: true }],
  more: [
    { cx: 3.5, cy: 8.0, r: 0.9, fill: true },
    { cx: 8.0, cy: 8.0, r: 0.9, fill: true },
    { cx: 12.5, cy: 8.0, r: 0.9, fill: true },
  ],
  copy: [
    { x: 5.4, y: 5.4, width: 8.0, height: 8.0, rx: 1.6 },
    { d: 'M10.4 3.6A1.4 1.4 0 0 0 9 2.6H4A1.4 1.4 0 0 0 2.6 4v5a1.4 1.4 0 0 0 1 1.4' },
  ],
  send: [{ d: 'M8 13V3.4M3.8 7.4 8 3.2l4.2 4.2' }],
  stop: [{ x: 4.2, y: 4.2, width: 7.6, height: 7.6, rx: 1.4, fill: true }],
  map: [{ d: 'M4.4 13.4h7.2M8 13.2V4.6M8 10c0-3-4.2-2.2-4.2-6.2M8 10c0-3 4.2-2.2 4.2-6.2' }],
  layers: [{ d: 'm8 2.6 5.4 2.8L8 8.2 2.6 5.4 8 2.6Z' }, { d: 'm2.6 8.2 5.4 2.8 5.4-2.8M2.6 10.9 8 13.7l5.4-2.8' }],
  outline: [{ d: 'M3 3.6h6M6 8h7M6 12.4h5M3 6v6.4' }],
  trash: [{ d: 'M2.8 4.4h10.4M6.2 4.2V2.8h3.6v1.4M4.2 4.6l.6 8.6h6.4l.6-8.6M6.7 7v4M9.3 7v4' }],
  undo: [{ d: 'M5.6 3 2.8 5.8l2.8 2.8' }, { d: 'M3 5.8h6.2a3.8 3.8 0 0 1 0 7.6H6.4' }],
  pin: [{ d: 'M6 2.6h4l-.5 4 2.3 2.2H4.2l2.3-2.2-.5-4ZM8 8.8v4.8' }],
  tag: [{ d: 'M2.8 7.6V2.8h4.8l5.6 5.6-4.8 4.8-5.6-5.6Z' }, { cx: 5.3, cy: 5.3, r: 0.7, fill: true }],
  import: [{ d: 'M8 2.6v7M5 6.8l3 3 3-3M2.8 10.6v2.6h10.4v-2.6' }],
  export: [{ d: 'M8 9.8V2.6M5 5.6l3-3 3 3M2.8 10.6v2.6h10.4v-2.6' }],
  check: [{ d: 'm3.2 8.4 3.2 3.2 6.4-7' }],
  x: [{ d: 'm4 4 8 8M12 4l-8 8' }],
  warn: [{ d: 'M8 2.6 14 13H2L8 2.6Z' }, { d: 'M8 6.6v3' }, { cx: 8.0, cy: 11.2, r: 0.5, fill: true }],
  cut: [{ d: 'M8 14V9.4M8 2v2.4' }, { d: 'm4 9.4 8-3.4' }],
  tool: [
    {
      d: 'M9.8 6.2a3.2 3.2 0 0 1 3.9-3.6l-2 2 .4 1.6 1.6.4 0 0a3.2 3.2 0 0 1-4.3 1L5 12a1.5 1.5 0 0 1-2.1-2.1l4.5-4.3',
    },
  ],
  think: [{ d: 'M8 8a1.2 1.2 0 1 1 1.2-1.2A3 3 0 1 1 5 8.6a4.8 4.8 0 1 0 6.6-6' }],
  eyeoff: [{ d: 'M2.4 8s2-4 5.6-4 5.6 4 5.6 4-2 4-5.6 4-5.6-4-5.6-4Z' }, { d: 'm3 13 10-10' }],
  eye: [{ d: 'M2.4 8s2-4 5.6-4 5.6 4 5.6 4-2 4-5.6 4-5.6-4-5.6-4Z' }, { cx: 8.0, cy: 8.0, r: 1.7 }],
  clip: [{ d: 'm12.6 7.4-4.8 4.9a2.9 2.9 0 0 1-4.1-4.1l5-5a1.9 1.9 0 0 1 2.7 2.7l-5 5a.9.9 0 0 1-1.3-1.3l4.4-4.4' }],
  gear: [
    { cx: 8.0, cy: 8.0, r: 2.0 },
    { d: 'M8 2.4v1.8M8 11.8v1.8M2.4 8h1.8M11.8 8h1.8M4 4l1.3 1.3M10.7 10.7 12 12M12 4l-1.3 1.3M5.3 10.7 4 12' },
  ],
  share: [{ d: 'M8 9.6V2.8M5.2 5.2 8 2.6l2.8 2.6M4.4 7.6H3v5.8h10V7.6h-1.4' }],
  offline: [
    { d: 'M2.4 6.4a8 8 0 0 1 3-1.8M13.6 6.4a8 8 0 0 0-4.4-2.1M4.6 9a5 5 0 0 1 2-1.2M11.4 9a5 5 0 0 0-1-.8' },
    { cx: 8.0, cy: 11.8, r: 0.8, fill: true },
    { d: 'm3 2.6 10 10.8' },
  ],
  merge: [{ d: 'M4 2.8c0 4 4 3.2 4 7M12 2.8c0 4-4 3.2-4 7M8 9.8v3.6' }],
  pick: [{ d: 'M8 13.4V9M8 9C8 5.6 11.8 6 11.8 2.8' }, { cx: 4.6, cy: 4.6, r: 1.9 }],
  clock: [{ cx: 8.0, cy: 8.0, r: 5.4 }, { d: 'M8 4.8V8l2.2 1.4' }],
  sliders: [
    { d: 'M2.6 5h6M11.8 5h1.6M2.6 11h1.6M7.4 11h6' },
    { cx: 10.2, cy: 5.0, r: 1.5 },
    { cx: 5.8, cy: 11.0, r: 1.5 },
  ],
  panel: [{ x: 2.4, y: 3.0, width: 11.2, height: 10.0, rx: 1.6 }, { d: 'M9.8 3v10' }],
  folder: [{ d: 'M2.4 12.4V3.8h4l1.4 1.6h5.8v7H2.4Z' }],
  wrap: [{ d: 'M2.6 4h10.8M2.6 8h8.2a2.3 2.3 0 0 1 0 4.6H8.4M9.8 11l-1.6 1.6 1.6 1.6M2.6 12.4h2.6' }],
  code: [{ d: 'm5.6 4.4-3.4 3.6 3.4 3.6M10.4 4.4l3.4 3.6-3.4 3.6' }],
  info: [{ cx: 8.0, cy: 8.0, r: 5.6 }, { d: 'M8 7.4v3.4' }, { cx: 8.0, cy: 5.2, r: 0.8, fill: true }],
  star: [{ d: 'M8 2.4l1.7 3.5 3.9.5-2.9 2.7.8 3.8L8 11.1l-3.5 1.8.8-3.8L2.4 6.4l3.9-.5L8 2.4Z' }],
  staron: [{ d: 'M8 2.4l1.7 3.5 3.9.5-2.9 2.7.8 3.8L8 11.1l-3.5 1.8.8-3.8L2.4 6.4l3.9-.5L8 2.4Z', fill: true }],
  people: [
    { cx: 6.2, cy: 5.4, r: 2.4 },
    { d: 'M1.8 13.2c.3-2.6 2-4 4.4-4s4.1 1.4 4.4 4M10.4 3.4a2.2 2.2 0 0 1 0 4.2M11.8 9.6c1.4.5 2.2 1.7 2.4 3.6' },
  ],
  lines: [{ d: 'M2.6 4h10.8M2.6 8h10.8M2.6 12h6' }],
  menu: [{ d: 'M2.8 5h10.4M2.8 8.4h7M2.8 11.8h10.4' }],
} as const satisfies Readonly<Record<string, readonly IconShape[]>>;

export type IconName = keyof typeof shapes;
