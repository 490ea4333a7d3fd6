/** The colours of the tokens as a canvas needs them: read through a probe, because the tokens hold two themes in one. */

/** Names of colours that the map draws with. */
export const mapColours = [
  'ground',
  'paper',
  'raised',
  'ink',
  'ink-2',
  'ink-3',
  'cambium',
  'cambium-ink',
  'cambium-line',
  'bark',
  'bark-faint',
  'cut',
  'blight',
  'bluebell',
  'ivy',
  'foxglove',
  'speedwell',
  'violet',
  'hover',
  'line',
] as const;
/** A colour of the map. */
export type MapColour = (typeof mapColours)[number];
/** Every colour, as text that a canvas takes. */
export type Palette = Readonly<Record<MapColour, string>>;

/** Reads the colours of the theme that an element shows. */
export function readPalette(host: HTMLElement): Palette {
  const probe = document.createElement('span');
  host.append(probe);
  const found = new Map<MapColour, string>();
  for (const name of mapColours) {
    probe.style.color = `var(--${name})`;
    found.set(name, getComputedStyle(probe).color);
  }
  probe.remove();
  return Object.fromEntries(found) as Palette;
}
