/**
 * The colours of the style sheets for a canvas. They are read from a probe element, because a CSS variable has the
 * values of both themes.
 */

type MapColour =
  | 'background'
  | 'paper'
  | 'raised'
  | 'ink'
  | 'ink-2'
  | 'ink-3'
  | 'accent'
  | 'accent-ink'
  | 'accent-line'
  | 'inactive'
  | 'inactive-faint'
  | 'warning'
  | 'danger'
  | 'model-1'
  | 'model-2'
  | 'model-3'
  | 'model-4'
  | 'model-5'
  | 'hover'
  | 'line';
/** The colours of the map by name, as CSS text. */
export type MapColours = Readonly<Record<MapColour, string>>;

/** Reads the colours of an element's theme. */
export function readMapColours(host: HTMLElement): MapColours {
  const probe = document.createElement('span');
  host.append(probe);
  const colour = (name: MapColour) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const palette: MapColours = {
    background: colour('background'),
    paper: colour('paper'),
    raised: colour('raised'),
    ink: colour('ink'),
    'ink-2': colour('ink-2'),
    'ink-3': colour('ink-3'),
    accent: colour('accent'),
    'accent-ink': colour('accent-ink'),
    'accent-line': colour('accent-line'),
    inactive: colour('inactive'),
    'inactive-faint': colour('inactive-faint'),
    warning: colour('warning'),
    danger: colour('danger'),
    'model-1': colour('model-1'),
    'model-2': colour('model-2'),
    'model-3': colour('model-3'),
    'model-4': colour('model-4'),
    'model-5': colour('model-5'),
    hover: colour('hover'),
    line: colour('line'),
  };
  probe.remove();
  return palette;
}
