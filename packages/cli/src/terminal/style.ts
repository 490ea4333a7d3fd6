import picocolors from 'picocolors';

/** The few ways in which text stands out. Without colours every one of them gives the text as it is. */
export interface Style {
  readonly colors: boolean;
  /** Alive: where the user is. */
  active(text: string): string;
  /** Beside the point: ids, times, counts. */
  quiet(text: string): string;
  strong(text: string): string;
  /** Needs the user: cut off, in conflict. */
  warn(text: string): string;
  /** Failed or destructive. */
  bad(text: string): string;
}

/** A style with colours or without. */
export function createStyle(colors: boolean): Style {
  const { green, dim, bold, yellow, red } = picocolors.createColors(colors);
  return { colors, active: green, quiet: dim, strong: bold, warn: yellow, bad: red };
}

/** Whether colours are wanted: on a terminal that can show them, unless the user or NO_COLOR says no. */
export function wantsColors(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '' && env['FORCE_COLOR'] !== '0') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
