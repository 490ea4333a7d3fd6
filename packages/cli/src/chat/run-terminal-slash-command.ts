/** Runs the commands of the terminal chat itself. */
import { writeFile } from 'node:fs/promises';
import { exportFrom } from '@coppice/engine';
import { makeUsageError } from '../exit-codes.ts';
import { formatBranchUsage, readBranchUsage, sumBranchUsage } from './branch-usage.ts';
import type { ChatSession } from './chat-session.ts';
import { resolveTypedPath } from './file-attachments.ts';
import type { ScreenWriter } from './screen-writer.ts';
import type { TerminalSlashCommand } from './terminal-slash-commands.ts';
import { textOfReply, thinkingOfReply } from './thread-lines.ts';

/** The chat and the terminal on which commands act. */
export interface TerminalSlashCommandScope {
  readonly chatSession: ChatSession;
  /** The folder for exported files. */
  readonly folder: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly screen: Pick<ScreenWriter, 'send'>;
  openChats(): void;
  openModels(): void;
  showText(title: string, text: string): void;
  exit(): void;
}

/** Runs a command. Errors are shown in the chat. */
export async function runTerminalSlashCommand(
  name: TerminalSlashCommand,
  rest: string,
  scope: TerminalSlashCommandScope,
): Promise<void> {
  const { chatSession } = scope;
  switch (name) {
    case 'new':
      return chatSession.openChat(null);
    case 'continue':
      return chatSession.goOn();
    case 'resume':
      return scope.openChats();
    case 'models':
      return scope.openModels();
    case 'tools':
      return scope.tools.length === 0
        ? chatSession.note('The model has no tools that it may call.')
        : scope.showText('/tools', scope.tools.map((tool) => `${tool.name}: ${tool.description}`).join('\n'));
    case 'thinking':
      return showThinking(scope);
    case 'cost':
      return showCost(chatSession).catch((error) => chatSession.note(String(error?.message ?? error), true));
    case 'copy':
      return copyReply(scope);
    case 'export':
      return exportBranch(rest, scope).catch((error) => chatSession.note(String(error?.message ?? error), true));
    case 'quit':
      return scope.exit();
  }
}

async function showCost(chatSession: ChatSession): Promise<void> {
  const { store, treeId, here } = chatSession;
  const usage = treeId === null || here === null ? sumBranchUsage([]) : await readBranchUsage(store, treeId, here);
  chatSession.note(formatBranchUsage(usage));
}

/** Shows the thinking of the running reply, or else of the last reply that has any. */
function showThinking({ chatSession, showText }: TerminalSlashCommandScope): void {
  const { nodes, growing } = chatSession.state;
  if (growing !== null && growing.thinking !== '') return showText('/thinking', growing.thinking);
  const reply = nodes.findLast((node) => thinkingOfReply(node) !== '');
  if (reply === undefined) return chatSession.note('No reply on this branch has any thinking.');
  showText('/thinking', thinkingOfReply(reply));
}

/** Copies the text without the thinking, with the terminal's own sequence (OSC 52), which also works over SSH. */
function copyReply({ chatSession, screen }: TerminalSlashCommandScope): void {
  const text = chatSession.state.nodes
    .map((node) => (node.role === 'assistant' ? textOfReply(node) : ''))
    .findLast(Boolean);
  if (text === undefined) return chatSession.note('There is no reply to copy yet.', true);
  screen.send(`\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`);
  chatSession.note('Copied the last reply, if your terminal allows it.');
}

async function exportBranch(name: string, { chatSession, folder }: TerminalSlashCommandScope): Promise<void> {
  const { treeId, here, store } = chatSession;
  if (treeId === null || here === null) throw makeUsageError('There is no message to export yet.');
  const path = resolveTypedPath(folder, name === '' ? `${fileName(chatSession.state.title)}.md` : name);
  const format = /\.html?$/i.test(path) ? 'html' : 'markdown';
  let text = '';
  const events = exportFrom(store, {
    format,
    trees: [treeId],
    selection: { what: 'path', nodeId: here },
  });
  for await (const event of events) if (event.type === 'text') text += event.text;
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw exists ? makeUsageError(`${path} already exists. Give another name after /export.`) : error;
  }
  chatSession.note(`Wrote ${path}.`);
}

/** Converts a title to a file name. */
function fileName(title: string | null): string {
  const words = (title ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 8).join('-').slice(0, 60) || 'chat';
}
