/** What is said of the end of a file that is not complete. */
import type { SessionWarning } from '@coppice/content/sessions';
import type { LinePlace } from './line-table.ts';

/** The last line breaks off. */
export function incompleteLine({ line, offset, length }: LinePlace): SessionWarning {
  const message = `The last line (${line}, byte ${offset}) is cut off after ${length} bytes; it was never acknowledged.`;
  return { code: 'torn', message, line, offset };
}

/** The last lines are the beginning of a commit whose end is missing. */
export function incompleteCommit(line: number, offset: number): SessionWarning {
  const message = `The last commit, from line ${line} (byte ${offset}) on, is not complete; it was never acknowledged.`;
  return { code: 'torn', message, line, offset };
}
