/** Renders the two layouts of the chat: in the flow of the terminal, and on the full screen. */
import { Box, Text } from 'ink';
import { toOneLine } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import type { ChatSession } from './chat-session.ts';
import { type ChatPanel, PanelView, renderPanelLines } from './panels.tsx';
import type { ScreenLine } from './thread-lines.ts';
import type { ScreenSize } from './use-screen-size.ts';

/** The lines below the thread, which both layouts have. */
export interface ChatFooter {
  readonly notice: readonly string[];
  readonly menu: readonly string[];
  readonly prompt: readonly string[];
  readonly status: string | null;
}

interface ViewProps {
  readonly panel: ChatPanel | null;
  readonly footer: ChatFooter;
  /** The number of lines above the footer. */
  readonly space: number;
  readonly width: number;
  readonly style: TextStyles;
}

/** Renders the thread on the whole screen, with a title above it. */
export function FullScreenView({
  size,
  title,
  shown,
  panel,
  footer,
  space,
  width,
  style,
}: ViewProps & { readonly size: ScreenSize; readonly title: string; readonly shown: readonly ScreenLine[] }) {
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows - 1}>
      <Text wrap="truncate">{title}</Text>
      {panel === null ? (
        <Box flexDirection="column" height={space} justifyContent="flex-end" overflow="hidden">
          <Text>{shown.map((line) => (line.text === '' ? ' ' : line.text)).join('\n')}</Text>
        </Box>
      ) : (
        <Box flexDirection="column" height={space} overflow="hidden">
          <PanelView lines={renderPanelLines(panel, style, width, space - 1).slice(0, space)} style={style} />
        </Box>
      )}
      {footer.notice.length > 0 && <Text>{footer.notice.join('\n')}</Text>}
      {footer.menu.length > 0 && <Text>{footer.menu.join('\n')}</Text>}
      <Text>{style.quiet('─'.repeat(width))}</Text>
      <Text>{footer.prompt.join('\n')}</Text>
      {footer.status !== null && <Text>{style.quiet(footer.status)}</Text>}
    </Box>
  );
}

// Lines that a panel scrolls off the screen do not return when it closes, so it uses at most half of a large screen.
const [lowestPanel, highestPanel] = [12, 24];

/** Renders the inline layout below the printed text: the running reply, the input line and the status. */
export function InlineView({
  pending,
  panel,
  footer,
  space,
  width,
  style,
}: ViewProps & { readonly pending: readonly string[] }) {
  const most = Math.min(space, highestPanel, Math.max(lowestPanel, Math.floor(space / 2)));
  const panelLines = panel === null ? [] : renderPanelLines(panel, style, width, most - 1).slice(0, most);
  const tail = pending.length === 0 ? [] : [...pending, style.active('▌')].slice(-space);
  return (
    <Box flexDirection="column">
      {panel === null && tail.length > 0 && (
        <Text wrap="truncate">{tail.map((line) => (line === '' ? ' ' : line)).join('\n')}</Text>
      )}
      {panel !== null && <PanelView lines={panelLines} style={style} />}
      {footer.notice.length > 0 && <Text>{footer.notice.join('\n')}</Text>}
      {footer.menu.length > 0 && <Text>{footer.menu.join('\n')}</Text>}
      <Text>{footer.prompt.join('\n')}</Text>
      {footer.status !== null && <Text>{style.quiet(footer.status)}</Text>}
    </Box>
  );
}

/** Returns the title and the model in one line; only the title if there is little space. */
export function renderTitleLine(
  state: ChatSession['state'],
  doing: Pick<ChatSession, 'busy' | 'working'>,
  width: number,
  style: TextStyles,
): string {
  const far = describeActivity(doing) ?? countLine(state);
  const space = Math.min(40, Math.floor(width / 2) - widthOf(far));
  const beside = space < 10 ? far : `${toOneLine(state.model, space)} · ${far}`;
  const title = toOneLine(state.title ?? 'New chat', width - widthOf(beside) - 4);
  return `${style.active('❧')} ${style.strong(title)}  ${style.quiet(beside)}`;
}

/** Returns what the chat is doing, for the status line; null if it waits for the user. */
export function describeActivity({ busy, working }: Pick<ChatSession, 'busy' | 'working'>): string | null {
  return busy ? 'answering…' : working ? 'working…' : null;
}

function countLine({ nodes, more }: ChatSession['state']): string {
  return `${nodes.length}${more ? '+' : ''} ${nodes.length === 1 ? 'message' : 'messages'}`;
}
