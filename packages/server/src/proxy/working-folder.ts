/** Finds the folder and the git branch in which an agent works, from the texts that its program sends to the model. */
import { isText, type Message } from '@coppice/core';
import type { ParsedRequest } from './exchange.ts';

/** The folder and branch of an agent; null if the program does not send them. */
export interface WorkingFolder {
  readonly folder: string | null;
  readonly branch: string | null;
}

// The patterns of Claude Code, opencode and pi, of Codex, and of Gemini CLI.
const folders: readonly RegExp[] = [
  /(?:^|\n)[ \t]*(?:[-*][ \t]*)?(?:primary |current )?working directory:[ \t]*([^\n<]+)/i,
  /<cwd>([^\n<]+)<\/cwd>/,
  /\*\*Workspace Directories:\*\*\s*\n\s*-[ \t]*([^\n]+)/,
];
// The pattern of Claude Code, which adds the state of git to its prompt.
const branches: readonly RegExp[] = [/(?:^|\n)[ \t]*(?:[-*][ \t]*)?(?:current|git) branch:[ \t]*(\S+)/i];

// Programs describe the environment near the beginning or the end of long prompts and messages.
const searchedLength = 16_000;
const longest = 300;
const firstMessages = 6;

function ends(text: string): string {
  return text.length <= 2 * searchedLength ? text : `${text.slice(0, searchedLength)}\n${text.slice(-searchedLength)}`;
}

function firstMatch(patterns: readonly RegExp[], texts: readonly string[]): string | null {
  for (const text of texts)
    for (const pattern of patterns) {
      const [, found = ''] = pattern.exec(text) ?? [];
      if (found.trim() !== '') return found.trim().slice(0, longest);
    }
  return null;
}

/** Finds the folder and branch in the prompt and the first messages of a call, except replies. */
export function findWorkingFolder({ systemPrompt }: ParsedRequest, history: readonly Message[]): WorkingFolder {
  const said = history
    .slice(0, firstMessages)
    .filter(({ role }) => role === 'user' || role === 'system')
    .map(({ content }) => content.map((block) => (isText(block) ? block.text : '')).join('\n'));
  const texts = [systemPrompt ?? '', ...said].map(ends);
  return { folder: firstMatch(folders, texts), branch: firstMatch(branches, texts) };
}
