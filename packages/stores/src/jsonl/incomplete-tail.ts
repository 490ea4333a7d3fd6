/** Makes warnings about an incomplete end of a session file. */
import type { SessionWarning } from '@coppice/content/sessions';
import type { LineLocation } from './line-table.ts';

/** Makes the warning that the last line is cut off. */
export function makeIncompleteLineWarning({ line, offset, length }: LineLocation): SessionWarning {
  const message = `The last line (${line}, byte ${offset}) is cut off after ${length} bytes; it was never acknowledged.`;
  return { code: 'torn', message, line, offset };
}

/** Makes the warning that the last commit has no last line. */
export function makeIncompleteCommitWarning(line: number, offset: number): SessionWarning {
  const message = `The last commit, from line ${line} (byte ${offset}) on, is not complete; it was never acknowledged.`;
  return { code: 'torn', message, line, offset };
}
