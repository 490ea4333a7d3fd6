/** Runs the actions that keys trigger in a chat. */
import type { NodeId } from '@coppice/core';
import type { ChatSession } from './chat-session.ts';
import type { EditorResult } from './external-editor.ts';
import { formatFileReference } from './file-attachments.ts';
import { formatKeyHelp, type KeyAction } from './keys.ts';
import { runTerminalSlashCommand, type TerminalSlashCommandScope } from './run-terminal-slash-command.ts';
import type { ScreenWriter } from './screen-writer.ts';
import { formatTerminalSlashCommandHelp, parseTerminalSlashCommand } from './terminal-slash-commands.ts';
import type { InputLineState } from './use-input-line.ts';
import type { PanelState } from './use-panels.ts';
import type { ThreadViewState } from './use-thread-view.ts';

/** An action that a second press of its key confirms. */
export type ArmedAction = 'leave' | 'edit-last' | null;

/** The notices that ask for the second press. */
export const armedActionNotices = {
  leave: 'Press Ctrl-C again to leave.',
  'edit-last': 'Press Esc again to edit your last message.',
} as const;

/** The chat, the screen and the input line that actions change. */
export interface KeyActionScope {
  readonly chatSession: ChatSession;
  readonly composer: InputLineState;
  readonly panels: PanelState;
  readonly view: ThreadViewState;
  /** The number of lines of the thread on the screen. */
  readonly space: number;
  readonly armed: ArmedAction;
  setArmed(armed: ArmedAction): void;
  /** The working directory. */
  readonly folder: string;
  readonly tools: TerminalSlashCommandScope['tools'];
  readonly edit: ((text: string) => EditorResult) | null;
  /** Stops the program until the shell continues it; null if the system cannot. */
  readonly suspend: (() => Promise<void>) | null;
  readonly pasteImage: () => Promise<{ readonly path: string } | { readonly failed: string }>;
  /** Shows a long text: prints it inline, or opens it over the thread on the full screen. */
  showText(title: string, text: string): void;
  readonly screen: ScreenWriter;
  leave(): void;
}

/** Runs the action of a key. */
export function runKeyAction(action: KeyAction, scope: KeyActionScope): void {
  const { chatSession, composer, panels, view, space, leave } = scope;
  switch (action) {
    case 'send':
      return void submitText(composer.draft.text, scope);
    case 'newline':
      return composer.insert('\n');
    case 'stop':
      return stopOrLeave(scope);
    case 'escape':
      return escapeKey(scope);
    case 'leave':
      return composer.draft.text === '' ? leave() : composer.edit('delete');
    case 'tree':
      return panels.openTree();
    case 'models':
      return panels.openModels();
    case 'editor':
      return openEditor(scope);
    case 'again':
      return void chatSession.again();
    case 'thinking':
      return chatSession.cycleThinking();
    case 'paste-image':
      return void attachImage(scope);
    case 'suspend':
      return suspendChat(scope);
    case 'redraw':
      return scope.screen.redraw({ isCleared: true });
    case 'previous-variant':
      return void switchVersion('previous', scope);
    case 'next-variant':
      return void switchVersion('next', scope);
    case 'focus-up':
      return view.moveFocus(-1, space);
    case 'focus-down':
      return view.moveFocus(1, space);
    case 'page-up':
      return view.scrollPages(1, space);
    case 'page-down':
      return view.scrollPages(-1, space);
    case 'keys':
      return scope.showText('Keys', formatKeyHelp());
    case 'complete':
      return void completeDraft(scope);
    default:
      return composer.edit(action);
  }
}

async function submitText(text: string, scope: KeyActionScope): Promise<void> {
  const { chatSession, composer, panels, folder, leave: exit } = scope;
  if (text.trim() === '') return;
  composer.sent(text);
  scope.view.showEnd();
  const own = parseTerminalSlashCommand(text);
  // The notice of an earlier command must not stay below the result of this command. During a reply the notice may
  // belong to the reply.
  if (own !== null && !chatSession.busy) chatSession.dismiss(chatSession.state.notice?.text ?? '');
  if (own !== null) return runTerminalSlashCommand(own.name, own.rest, { ...scope, ...panels, exit });
  // If the message could not be stored, its text returns to the input line, unless the user has typed another text.
  const [, command] = /^!\s*(\S[^\n]*)$/.exec(text) ?? [];
  if (command !== undefined) return (await chatSession.shell(command, folder)) ? undefined : composer.giveBack(text);
  if (!text.startsWith('/')) return (await chatSession.send(text, folder)) ? undefined : composer.giveBack(text);
  const result = await chatSession.command(text);
  if (result === null) return composer.giveBack(text);
  if (result.selectedText !== undefined) composer.write(result.selectedText);
  if (result.text === undefined) return;
  const more = /^\/help\s*$/.test(text) ? `\n\nIn this terminal:\n${formatTerminalSlashCommandHelp()}` : '';
  scope.showText(text, result.text + more);
}

/**
 * Stops the running reply. Messages that waited for it return to the input line, because they would continue a stopped
 * reply.
 */
export function stopReply({ chatSession, composer }: KeyActionScope): boolean {
  const back = chatSession.takeBack();
  if (back.length > 0) composer.prepend(back);
  return chatSession.stop();
}

function stopOrLeave(scope: KeyActionScope): void {
  const { chatSession, composer, armed, leave } = scope;
  if (stopReply(scope)) return;
  if (composer.draft.text !== '') return composer.write('');
  if (armed === 'leave') return leave();
  scope.setArmed('leave');
  chatSession.note(armedActionNotices.leave);
}

function escapeKey(scope: KeyActionScope): void {
  const { chatSession, composer, armed } = scope;
  scope.view.clearFocus();
  if (armed === 'edit-last' && composer.draft.text === '') {
    scope.setArmed(null);
    return void editLastMessage(scope);
  }
  const stopped = stopReply(scope);
  if (composer.draft.text !== '' || chatSession.here === null) return;
  scope.setArmed('edit-last');
  if (!stopped) chatSession.note(armedActionNotices['edit-last']);
}

/** Removes the user's last message from the view and puts its text into the input line. */
async function editLastMessage({ chatSession, composer }: KeyActionScope): Promise<void> {
  const text = (await chatSession.command('/pop --plain'))?.selectedText;
  if (text !== undefined) composer.giveBack(text);
}

/** Moves to a message of the tree. */
export async function goToMessage(node: NodeId, { chatSession, composer, view }: KeyActionScope): Promise<void> {
  view.showEnd();
  const text = (await chatSession.command(`/switch ${node}`))?.selectedText;
  // The text of the user's own message returns to the input line, unless the user has typed another text.
  if (text !== undefined) composer.giveBack(text);
}

/** Switches to another version of the focused message, or of the last message that has several. */
async function switchVersion(direction: 'next' | 'previous', { chatSession, view }: KeyActionScope): Promise<void> {
  const { nodes, places } = chatSession.state;
  const id = view.focus ?? nodes.findLast((node) => (places.get(node.id)?.[1] ?? 1) > 1)?.id ?? null;
  if (id === null) return chatSession.note('There is only one version here. Ctrl-R generates another.', false);
  await chatSession.vary(id, direction);
  view.clearFocus();
}

async function attachImage({ chatSession, composer, pasteImage }: KeyActionScope): Promise<void> {
  const pasted = await pasteImage();
  if ('failed' in pasted) return chatSession.note(pasted.failed, true);
  composer.insert(formatFileReference(pasted.path));
}

function suspendChat({ chatSession, suspend }: KeyActionScope): void {
  if (suspend === null) return chatSession.note('This system cannot suspend a program.', true);
  void suspend();
}

function openEditor({ chatSession, composer, edit }: KeyActionScope): void {
  if (edit === null) return chatSession.note('Set EDITOR to use your own editor.', true);
  const edited = edit(composer.draft.text);
  if ('failed' in edited) chatSession.note(edited.failed, true);
  else composer.write(edited.text);
}

async function completeDraft({ chatSession, composer }: KeyActionScope): Promise<void> {
  const { text } = composer.draft;
  const { from, items } = await chatSession.complete(text);
  const [first] = items;
  if (first === undefined) return;
  if (items.length === 1) composer.write(`${text.slice(0, from)}${first.value} `);
  else chatSession.note(items.map((item) => item.label).join('  '), false);
}
