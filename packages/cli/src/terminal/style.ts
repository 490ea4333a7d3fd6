import picocolors from 'picocolors';

/** Functions that style text. Without colours they return the text unchanged. */
export interface TextStyles {
  readonly colors: boolean;
  /** Marks the current position. */
  active(text: string): string;
  /** Secondary information: ids, times, counts. */
  quiet(text: string): string;
  strong(text: string): string;
  italic(text: string): string;
  /** Text that needs attention: cut off, in conflict. */
  warn(text: string): string;
  /** Failures and destructive actions. */
  bad(text: string): string;
}

/** Creates the text styles, with or without colours. */
export function createTextStyles(colors: boolean): TextStyles {
  const { green, dim, bold, italic, yellow, red } = picocolors.createColors(colors);
  return { colors, active: green, quiet: dim, strong: bold, italic, warn: yellow, bad: red };
}

/** Whether to use colours: on a terminal that supports them, unless the user or NO_COLOR disables them. */
export function shouldUseColors(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '' && env['FORCE_COLOR'] !== '0') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
