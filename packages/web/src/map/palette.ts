/** The colours of the tokens as a canvas needs them: read through a probe, because the tokens hold two themes in one. */

/** A colour of the map. */
export type MapColour =
  | 'ground'
  | 'paper'
  | 'raised'
  | 'ink'
  | 'ink-2'
  | 'ink-3'
  | 'cambium'
  | 'cambium-ink'
  | 'cambium-line'
  | 'bark'
  | 'bark-faint'
  | 'cut'
  | 'blight'
  | 'bluebell'
  | 'ivy'
  | 'foxglove'
  | 'speedwell'
  | 'violet'
  | 'hover'
  | 'line';
/** Every colour, as text that a canvas takes. */
export type Palette = Readonly<Record<MapColour, string>>;

/** Reads the colours of the theme that an element shows. */
export function readPalette(host: HTMLElement): Palette {
  const probe = document.createElement('span');
  host.append(probe);
  const colour = (name: MapColour) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const palette: Palette = {
    ground: colour('ground'),
    paper: colour('paper'),
    raised: colour('raised'),
    ink: colour('ink'),
    'ink-2': colour('ink-2'),
    'ink-3': colour('ink-3'),
    cambium: colour('cambium'),
    'cambium-ink': colour('cambium-ink'),
    'cambium-line': colour('cambium-line'),
    bark: colour('bark'),
    'bark-faint': colour('bark-faint'),
    cut: colour('cut'),
    blight: colour('blight'),
    bluebell: colour('bluebell'),
    ivy: colour('ivy'),
    foxglove: colour('foxglove'),
    speedwell: colour('speedwell'),
    violet: colour('violet'),
    hover: colour('hover'),
    line: colour('line'),
  };
  probe.remove();
  return palette;
}
