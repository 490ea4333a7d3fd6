/** What stands between the thread and the line to write on. */
import { oneLine, stripControlSequences } from '../terminal/strip-control-sequences.ts';
import type { Style } from '../terminal/style.ts';
import { fitWidth } from '../terminal/width.ts';
import { wrapped } from '../terminal/wrap.ts';
import type { ChatState } from './chat-state.ts';

/** What is asked or told below the thread, in half of so many lines; a question may take all of them. */
export function noticeLines(
  state: Pick<ChatState, 'question' | 'notice'>,
  width: number,
  most: number,
  style: Style,
): string[] {
  const { question, notice } = state;
  if (question !== null) {
    const { name, parameters } = question.request;
    // Whoever is asked has to see what for, and how to answer, also on a narrow screen.
    const asked = wrapped(stripControlSequences(`Run ${name} ${JSON.stringify(parameters)}?`), width);
    const space = Math.max(1, most - 1);
    const shown = asked.length <= space ? asked : [...asked.slice(0, space - 1), '… more than there is room for'];
    return [...shown, 'y / n'].map((line) => style.warn(fitWidth(line, width)));
  }
  if (notice === null) return [];
  const lines = wrapped(oneLine(notice.text, width * most), width);
  const space = Math.max(3, Math.floor(most / 2));
  const shown = lines.length <= space ? lines : [...lines.slice(0, space - 1), `${lines[space - 1]?.trimEnd()}…`];
  return shown.map((line) => (notice.bad ? style.bad(fitWidth(line, width)) : style.quiet(fitWidth(line, width))));
}
