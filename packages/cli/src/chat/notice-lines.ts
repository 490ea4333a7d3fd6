/** Renders the notice between the thread and the input line. */
import { failureReasonOf } from '../printing.ts';
import { stripControlSequences, toOneLine } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { truncateWithEllipsis } from '../terminal/width.ts';
import { wrapLines } from '../terminal/wrap.ts';
import type { ChatState } from './chat-state.ts';

/** Returns the question or notice below the thread. A notice uses at most half of the lines; a question may use all. */
export function renderNoticeLines(
  state: Pick<ChatState, 'question' | 'notice' | 'nodes'> & { readonly isTyping: boolean },
  width: number,
  most: number,
  style: TextStyles,
): string[] {
  const { question, notice } = state;
  if (question !== null) {
    // The question is wrapped, so that it can be read on a narrow screen. If it is too long, its end is cut, never the
    // line with the possible answers.
    const questionLines = wrapLines(stripControlSequences(question.text), width);
    const space = Math.max(1, most - 1);
    const shown =
      questionLines.length <= space ? questionLines : [...questionLines.slice(0, space - 1), '… the rest does not fit'];
    const answers = state.isTyping
      ? 'Send or clear your text to answer; Esc declines.'
      : question.canAllow
        ? 'y / n / a (always in this chat)'
        : 'y / n';
    return [...shown, answers].map((line) => style.warn(truncateWithEllipsis(line, width)));
  }
  // The thread already shows why its last reply failed.
  const last = state.nodes.at(-1);
  if (notice === null || (last !== undefined && notice.text === failureReasonOf(last))) return [];
  const lines = wrapLines(toOneLine(notice.text, width * most), width);
  const space = Math.max(3, Math.floor(most / 2));
  const shown = lines.length <= space ? lines : [...lines.slice(0, space - 1), `${lines[space - 1]?.trimEnd()}…`];
  return shown.map((line) =>
    notice.bad ? style.bad(truncateWithEllipsis(line, width)) : style.quiet(truncateWithEllipsis(line, width)),
  );
}
