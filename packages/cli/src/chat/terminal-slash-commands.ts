/** The commands that only the terminal chat has. They concern this screen, this computer, and other chats. */

/** A command as the menu lists it. */
export interface MenuCommand {
  readonly name: string;
  readonly summary: string;
}

/** The commands that only the terminal chat has. */
export const terminalSlashCommands = [
  { name: 'new', summary: 'Starts a new chat; this one is kept.' },
  { name: 'resume', summary: 'Chooses a past chat, with search.' },
  { name: 'continue', summary: 'Continues the last reply, if it was cut off.' },
  { name: 'copy', summary: 'Copies the last reply to the clipboard.' },
  { name: 'export', summary: 'Writes this branch to a new file; a name can follow, for HTML one that ends in .html.' },
  { name: 'models', summary: 'Chooses a model.' },
  { name: 'tools', summary: 'Lists the tools that the model may call.' },
  { name: 'thinking', summary: 'Shows what the model thought before its last reply.' },
  { name: 'cost', summary: 'Shows the tokens and the cost of this branch.' },
  { name: 'quit', summary: 'Leaves the chat.' },
] as const satisfies readonly MenuCommand[];

/** The name of a command of the terminal chat. */
export type TerminalSlashCommand = (typeof terminalSlashCommands)[number]['name'];

/** Returns the terminal command of a line and the text after it; null if the line is another command or a message. */
export function parseTerminalSlashCommand(
  line: string,
): { readonly name: TerminalSlashCommand; readonly rest: string } | null {
  const [, word = '', rest = ''] = /^\/([a-z]+)(?:\s+(.*))?$/.exec(line.trim()) ?? [];
  const commandName = word === 'exit' ? 'quit' : word;
  const found = terminalSlashCommands.find(({ name }) => name === commandName);
  return found === undefined ? null : { name: found.name, rest: rest.trim() };
}

/** Returns the help for the terminal commands, one per line. */
export function formatTerminalSlashCommandHelp(): string {
  const width = Math.max(...terminalSlashCommands.map(({ name }) => name.length));
  return terminalSlashCommands.map(({ name, summary }) => `/${name.padEnd(width)}  ${summary}`).join('\n');
}
