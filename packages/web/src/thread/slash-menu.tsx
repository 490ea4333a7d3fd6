import type { NodeId, TreeId } from '@coppice/core';
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { translateCommandSummary, translateCommandUsage, translateCompletion } from '../i18n/command-texts.ts';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { listPromptVariables, useLibrary } from '../state/library.ts';
import { api } from '../state/page-client.ts';
import { navigateTo } from '../state/router.ts';
import { openDialog } from '../state/ui.ts';

interface SlashOption {
  readonly line: string;
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
}

// The line of the option that opens the page of prompts. It is shown while the user has no prompts.
const newPromptLine = '';

/** The state of the slash command menu: open, options, selection. */
export interface SlashMenuState {
  readonly open: boolean;
  readonly options: readonly SlashOption[];
  readonly at: number;
  readonly typed: string;
  onKeyDown(event: KeyboardEvent, set: (line: string) => void): boolean;
}

/** Completes commands from the registry, and their arguments by requests to the server, while the user types. */
export function useSlashMenu(tree: TreeId | null, leaf: NodeId | null, text: string, writing: boolean): SlashMenuState {
  const [at, setAt] = useState(0);
  const [shut, setShut] = useState<string | null>(null);
  const typedName = /^\/([\w-]*)$/.exec(text)?.[1] ?? null;
  const names = useNameOptions(typedName, tree !== null);
  const completions = useArgumentOptions(tree, leaf, text);
  const options = typedName === null ? completions : names;
  // A restored draft does not open the menu.
  const open = writing && options.length > 0 && shut !== text;
  const chosen = Math.min(at, options.length - 1);
  return {
    open,
    options,
    at: chosen,
    typed: typedName ?? '',
    onKeyDown(event, set) {
      if (!open) return false;
      const option = options[chosen];
      const isPrompt = option !== undefined && !option.line.startsWith(`/${option.name}`) && typedName !== null;
      if (event.key === 'ArrowDown') setAt((chosen + 1) % options.length);
      else if (event.key === 'ArrowUp') setAt((chosen - 1 + options.length) % options.length);
      else if (event.key === 'Escape') setShut(text);
      else if ((event.key === 'Tab' || (event.key === 'Enter' && isPrompt)) && option !== undefined)
        pickLine(option.line, set);
      else if (event.key === 'Enter' && option !== undefined && typedName !== null && option.name !== typedName)
        set(option.line);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

/** The prompts and commands whose name starts with what is typed; empty if no name is being typed. */
function useNameOptions(typed: string | null, hasTree: boolean): readonly SlashOption[] {
  const library = useLibrary((state) => state.items);
  const commands = useAppData((lists) => lists.commands);
  if (typed === null) return [];
  const prompts = library
    .filter((item) => item.kind === 'prompt' && slashNameOfPrompt(item.name).startsWith(typed.toLowerCase()))
    .map((item) => ({
      line: item.text,
      name: slashNameOfPrompt(item.name),
      summary: item.text.slice(0, 120),
      usage: t('promptWord'),
    }));
  // Commands need a stored chat; a new chat is not stored yet.
  if (!hasTree && prompts.length === 0 && typed === '')
    return [{ line: newPromptLine, name: t('newPrompt'), summary: t('noPrompts'), usage: '' }];
  if (!hasTree) return prompts;
  const matching = commands
    .filter((command) => command.name.startsWith(typed))
    .map((command) => ({
      line: `/${command.name} `,
      name: command.name,
      summary: translateCommandSummary(command),
      usage: translateCommandUsage(command.usage.replace(/^\/[\w-]+\s*/, '')),
    }));
  return [...prompts, ...matching];
}

/** The server's completions of a command's arguments; empty until they arrive, and without a command. */
function useArgumentOptions(tree: TreeId | null, leaf: NodeId | null, text: string): readonly SlashOption[] {
  const [found, setFound] = useState<{ readonly line: string; readonly options: readonly SlashOption[] } | null>(null);
  const hasArguments = /^\/[\w-]+\s/.test(text) && !text.includes('\n');
  useEffect(() => {
    if (!hasArguments || tree === null) return;
    let stale = false;
    const timer = setTimeout(() => {
      api
        .complete(tree, text, leaf)
        .then(({ from, items }) => {
          if (stale) return;
          const options = items.map((item) => ({
            line: text.slice(0, from) + item.value,
            name: item.label,
            summary: translateCompletion(item.about, item.phrase),
            usage: '',
          }));
          setFound({ line: text, options });
        })
        .catch(() => undefined);
    }, 120);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [tree, leaf, text, hasArguments]);
  return hasArguments && found?.line === text ? found.options : [];
}

/** Returns the name by which a stored prompt is typed after a slash: lower case, with hyphens. */
export function slashNameOfPrompt(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

/** Chooses an option of the menu; a prompt with variables asks for their values first. */
function pickLine(line: string, set: (line: string) => void): void {
  if (line === newPromptLine) {
    set('');
    // Only after the composer was rendered without the slash, which it would otherwise keep as its draft.
    setTimeout(() => navigateTo({ name: 'library' }));
    return;
  }
  if (line.startsWith('/') || listPromptVariables(line).length === 0) set(line);
  else openDialog({ name: 'fill-prompt', text: line, onDone: set });
}

/** Whether an option is a command or a prompt, which is written with a slash, and not an argument or a link. */
function isSlashName({ line, name, usage }: SlashOption): boolean {
  return usage !== '' || line.startsWith(`/${name} `);
}

/** The element id of a line of the menu, by which screen readers know the selection. */
export function slashMenuOptionId(index: number): string {
  return `slash-option-${index}`;
}

/** The open menu. It pushes the thread up, so that it never covers the message that the user answers. */
export function SlashMenu({
  slash,
  onPick,
}: {
  readonly slash: SlashMenuState;
  readonly onPick: (line: string) => void;
}): ReactElement | null {
  const menu = useRef<HTMLDivElement>(null);
  const { at, open } = slash;
  useEffect(() => {
    if (open) menu.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at, open]);
  if (!slash.open) return null;
  return (
    <div ref={menu} className="menu slash" id="slash-menu" role="listbox" aria-label={t('commands')}>
      {slash.options.map((option, index) => (
        <div
          key={`${option.name} ${option.line}`}
          className="opt"
          id={slashMenuOptionId(index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === slash.at}
          onMouseDown={(event) => {
            event.preventDefault();
            pickLine(option.line, onPick);
          }}
        >
          <code>
            <u>
              {isSlashName(option) ? '/' : ''}
              {option.name.slice(0, slash.typed.length)}
            </u>
            {option.name.slice(slash.typed.length)}
          </code>
          <span className="grow desc">{option.summary}</span>
          <span className="arg">{option.usage}</span>
        </div>
      ))}
    </div>
  );
}
