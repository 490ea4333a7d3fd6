/** Renders the lines below the thread: notices, the menu, the input line and the status. */
import type { NodeId } from '@coppice/core';
import { toOneLine } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import type { ChatSession } from './chat-session.ts';
import type { ChatState } from './chat-state.ts';
import { renderDraftLines } from './draft-lines.ts';
import { renderMenuLines } from './menu.ts';
import { renderNoticeLines } from './notice-lines.ts';
import { formatStatusLine } from './status-line.ts';
import { formatMessageHeading, textOfReply } from './thread-lines.ts';
import type { InputLineState } from './use-input-line.ts';
import { type ChatFooter, describeActivity } from './views.tsx';

// On a screen with fewer rows, the status line and the notice below a panel are left out, because the thread or the
// panel needs the rows.
const leastRows = 12;

/** The state that the footer shows, and the size of the screen. */
export interface FooterOptions {
  readonly chatSession: ChatSession;
  readonly state: ChatState;
  readonly composer: InputLineState;
  readonly isInline: boolean;
  /** Whether a panel is open over the thread. */
  readonly hasPanel: boolean;
  /** The focused message. The inline layout shows it in the footer. */
  readonly focus: NodeId | null;
  readonly windowOf: (model: string) => number | null;
  readonly width: number;
  readonly rows: number;
  readonly style: TextStyles;
}

/** Returns the lines of the footer for a screen of the given size. */
export function renderFooter(options: FooterOptions): ChatFooter {
  const { chatSession, state, composer, isInline, hasPanel, windowOf, width, rows, style } = options;
  const isHidden = hasPanel && rows < leastRows && state.question === null;
  return {
    notice: isHidden ? [] : noticesOf(options).slice(-Math.max(4, rows - 4)),
    menu: renderMenuLines(composer.menu, composer.selected, width, Math.max(1, Math.floor((rows - 4) / 3)), style),
    prompt: renderDraftLines(composer.draft, width - 2, Math.max(1, Math.floor(rows / 3)), style),
    status:
      rows < leastRows
        ? null
        : formatStatusLine(state, windowOf(state.model), width, isInline ? describeActivity(chatSession) : null),
  };
}

function noticesOf({ state, composer, isInline, focus, width, rows, style }: FooterOptions): string[] {
  const isTyping = composer.draft.text !== '';
  const focused = isInline ? state.nodes.find((node) => node.id === focus) : undefined;
  return [
    ...(isInline ? renderQueuedInputLines(state.waiting, width).map(style.quiet) : []),
    ...(focused === undefined
      ? []
      : [
          formatMessageHeading(focused, state, style, focus, width),
          toOneLine(textOfReply(focused) || focused.text, width),
        ]),
    ...renderNoticeLines({ ...state, isTyping }, width, Math.max(3, Math.floor(rows / 2)), style),
  ];
}

const waitingLines = 2;

/** Returns the lines for queued inputs: the ones that are sent next, and how many follow. */
export function renderQueuedInputLines(waiting: readonly string[], width: number): string[] {
  const left = waiting.length - waitingLines;
  return waiting.slice(0, waitingLines).map((text, at) => {
    const more = left > 0 && at === waitingLines - 1 ? ` (and ${left} more)` : '';
    return `${toOneLine(`Waiting: ${text}`, width - more.length)}${more}`;
  });
}

export function countFooterLines({ notice, menu, prompt, status }: ChatFooter): number {
  return notice.length + menu.length + prompt.length + (status === null ? 0 : 1);
}
