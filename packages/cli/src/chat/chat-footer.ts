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
import { formatMessageHeading } from './thread-lines.ts';
import type { InputLineState } from './use-input-line.ts';
import { type ChatFooter, describeActivity } from './views.tsx';

// The status line is left out on a screen with fewer rows, because the thread needs the row.
const leastForStatus = 12;

/** The state and the size from which the footer is drawn. */
export interface FooterSource {
  readonly chatSession: ChatSession;
  readonly state: ChatState;
  readonly composer: InputLineState;
  readonly isInline: boolean;
  /** The focused message. The inline layout shows it in the footer. */
  readonly focus: NodeId | null;
  readonly windowOf: (model: string) => number | null;
  readonly width: number;
  readonly rows: number;
  readonly style: TextStyles;
}

/** Returns the lines of the footer for a screen of the given size. */
export function renderFooter(source: FooterSource): ChatFooter {
  const { chatSession, state, composer, isInline, windowOf, width, rows, style } = source;
  return {
    notice: noticesOf(source).slice(-Math.max(4, rows - 4)),
    menu: renderMenuLines(composer.menu, composer.selected, width, Math.max(1, Math.floor((rows - 4) / 3)), style),
    prompt: renderDraftLines(composer.draft, width - 2, Math.max(1, Math.floor(rows / 3)), style),
    status:
      rows < leastForStatus
        ? null
        : formatStatusLine(state, windowOf(state.model), width, isInline ? describeActivity(chatSession) : null),
  };
}

function noticesOf({ state, isInline, focus, width, rows, style }: FooterSource): string[] {
  const focused = isInline ? state.nodes.find((node) => node.id === focus) : undefined;
  return [
    ...(isInline ? state.waiting.map((text) => style.quiet(toOneLine(`Waiting: ${text}`, width))).slice(-2) : []),
    ...(focused === undefined
      ? []
      : [formatMessageHeading(focused, state, style, focus, width), toOneLine(focused.text, width)]),
    ...renderNoticeLines(state, width, Math.max(3, Math.floor(rows / 2)), style),
  ];
}

export function countFooterLines({ notice, menu, prompt, status }: ChatFooter): number {
  return notice.length + menu.length + prompt.length + (status === null ? 0 : 1);
}
