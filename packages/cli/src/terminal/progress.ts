import type { Output } from '../output.ts';
import { fitWidth, widthOf } from './width.ts';

/** Tells how far long work is: a bar on a terminal, nothing elsewhere, so that pipes and logs stay clean. */
export interface ProgressBar {
  /** `left` null where nobody knows. */
  tell(done: number, left: number | null): void;
  end(): void;
}

const widest = 28;

/** The bar as text, such as `████████░░░░ 1,200 of 3,000 trees`, on one line of so many columns: a second one would stay behind. */
export function bar(what: string, done: number, left: number | null, columns: number): string {
  const count = (value: number) => value.toLocaleString('en-US');
  if (left === null) return fitWidth(`${count(done)} ${what}`, columns);
  const total = done + left;
  const said = `${count(done)} of ${count(total)} ${what}`;
  const width = Math.min(widest, columns - widthOf(said) - 1);
  if (width < 4) return fitWidth(said, columns);
  const full = total === 0 ? width : Math.round((done / total) * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${said}`;
}

/** A progress that is drawn over itself on standard error. */
export function createProgress(output: Output, what: string): ProgressBar {
  let shown = false;
  return {
    tell(done, left) {
      if (!output.live) return;
      shown = true;
      output.draw(`\r\u001b[2K${bar(what, done, left, output.liveColumns - 1)}`);
    },
    end() {
      if (shown) output.draw('\r\u001b[2K');
      shown = false;
    },
  };
}
