import type { OutputWriter } from '../output.ts';
import { truncateWithEllipsis, widthOf } from './width.ts';

/** Shows the progress of a long operation: a bar on a terminal, nothing elsewhere. */
export interface ProgressBar {
  /** Sets the progress. `left` is what remains; null if it is unknown. */
  tell(done: number, left: number | null): void;
  end(): void;
}

const widest = 28;

/**
 * Returns the bar as text, for example `████████░░░░ 1,200 of 3,000 trees`, on one line, because a second line could
 * not be redrawn.
 */
export function drawProgressBar(what: string, done: number, left: number | null, columns: number): string {
  const count = (value: number) => value.toLocaleString('en-US');
  if (left === null) return truncateWithEllipsis(`${count(done)} ${what}`, columns);
  const total = done + left;
  const progressText = `${count(done)} of ${count(total)} ${what}`;
  const width = Math.min(widest, columns - widthOf(progressText) - 1);
  if (width < 4) return truncateWithEllipsis(progressText, columns);
  const full = total === 0 ? width : Math.round((done / total) * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${progressText}`;
}

/** Returns a progress bar that is redrawn on standard error. */
export function createProgressBar(output: OutputWriter, what: string): ProgressBar {
  let shown = false;
  return {
    tell(done, left) {
      if (!output.live) return;
      shown = true;
      output.draw(`\r\u001b[2K${drawProgressBar(what, done, left, output.liveColumns - 1)}`);
    },
    end() {
      if (shown) output.draw('\r\u001b[2K');
      shown = false;
    },
  };
}
