/** What stands between the thread and the line to write on. */
import { neutral, oneLine } from '../terminal/neutral.ts';
import type { Style } from '../terminal/style.ts';
import { fitted } from '../terminal/width.ts';
import { wrapped } from '../terminal/wrap.ts';
import type { TalkState } from './talk-state.ts';

/** What is asked or told below the thread, in half of so many lines; a question may take all of them. */
export function noticeLines(
  state: Pick<TalkState, 'question' | 'notice'>,
  width: number,
  most: number,
  style: Style,
): string[] {
  const { question, notice } = state;
  if (question !== null) {
    const { name, parameters } = question.request;
    // Whoever is asked has to see what for, and how to answer, also on a narrow screen.
    const asked = wrapped(neutral(`Run ${name} ${JSON.stringify(parameters)}?`), width);
    const room = Math.max(1, most - 1);
    const shown = asked.length <= room ? asked : [...asked.slice(0, room - 1), '… more than there is room for'];
    return [...shown, 'y / n'].map((line) => style.warn(fitted(line, width)));
  }
  if (notice === null) return [];
  const lines = wrapped(oneLine(notice.text, width * most), width);
  const room = Math.max(3, Math.floor(most / 2));
  const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), `${lines[room - 1]?.trimEnd()}…`];
  return shown.map((line) => (notice.bad ? style.bad(fitted(line, width)) : style.quiet(fitted(line, width))));
}
