/** Runs the commands of the terminal chat itself. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { exportFrom } from '@coppice/engine';
import { usageError } from '../exit-codes.ts';
import { formatBranchUsage, sumBranchUsage } from './branch-usage.ts';
import type { ChatSession } from './chat-session.ts';
import type { TerminalCommand } from './terminal-commands.ts';
import { thinkingOfReply } from './thread-lines.ts';

/** The chat and the terminal on which commands act. */
export interface TerminalCommandScope {
  readonly chatSession: ChatSession;
  /** The folder for exported files. */
  readonly folder: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** Writes to the terminal without drawing. */
  write(text: string): void;
  openChats(): void;
  openModels(): void;
  showText(title: string, text: string): void;
  exit(): void;
}

/** Runs a command. Errors are shown in the chat. */
export async function runTerminalCommand(
  name: TerminalCommand,
  rest: string,
  scope: TerminalCommandScope,
): Promise<void> {
  const { chatSession } = scope;
  switch (name) {
    case 'new':
      return chatSession.openChat(null);
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
      return chatSession.note(formatBranchUsage(sumBranchUsage(chatSession.state.nodes)));
    case 'copy':
      return copyReply(scope);
    case 'export':
      return exportBranch(rest, scope).catch((error) => chatSession.note(String(error?.message ?? error), true));
    case 'quit':
      return scope.exit();
  }
}

function showThinking({ chatSession, showText }: TerminalCommandScope): void {
  const reply = chatSession.state.nodes.findLast((node) => thinkingOfReply(node) !== '');
  if (reply === undefined) return chatSession.note('No reply on this branch has any thinking.');
  showText('/thinking', thinkingOfReply(reply));
}

/** Copies with the terminal's own sequence (OSC 52), which also works over SSH. */
function copyReply({ chatSession, write }: TerminalCommandScope): void {
  const reply = chatSession.state.nodes.findLast((node) => node.role === 'assistant' && node.text !== '');
  if (reply === undefined) return chatSession.note('There is no reply to copy yet.', true);
  write(`\u001b]52;c;${Buffer.from(reply.text, 'utf8').toString('base64')}\u0007`);
  chatSession.note('Copied the last reply, if your terminal allows it.');
}

async function exportBranch(name: string, { chatSession, folder }: TerminalCommandScope): Promise<void> {
  const { treeId, here, store } = chatSession;
  if (treeId === null || here === null) throw usageError('There is no message to export yet.');
  const path = resolve(folder, name === '' ? `${fileName(chatSession.state.title)}.md` : name);
  let text = '';
  const events = exportFrom(store, {
    format: 'markdown',
    trees: [treeId],
    selection: { what: 'path', nodeId: here },
  });
  for await (const event of events) if (event.type === 'text') text += event.text;
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw exists ? usageError(`${path} already exists. Give another name after /export.`) : error;
  }
  chatSession.note(`Wrote ${path}.`);
}

/** Converts a title to a file name. */
function fileName(title: string | null): string {
  const words = (title ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 8).join('-').slice(0, 60) || 'chat';
}
