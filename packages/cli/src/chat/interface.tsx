/** Starts the interface on a terminal and restores the terminal at the end. Loaded only if there is one. */
import { render } from 'ink';
import type { CliEngine } from '../cli-engine.ts';
import { createStyle } from '../terminal/style.ts';
import { ChatApp } from './app.tsx';
import type { ChatSession } from './chat-session.ts';
import { type EditorResult, editInExternalEditor } from './external-editor.ts';
import type { InputHistory } from './input-history.ts';

// The alternate screen, so that the previous content reappears afterwards; and bracketed paste.
const [enter, leave] = ['\u001b[?1049h\u001b[?2004h', '\u001b[?2004l\u001b[?1049l'];

// A slower server is skipped.
const askModelsMs = 5_000;

/** Runs the interface until the user leaves. */
export async function runInterface(
  chatSession: ChatSession,
  cliEngine: CliEngine,
  options: {
    readonly colors: boolean;
    readonly editor: string | undefined;
    readonly signal: AbortSignal;
    readonly inputHistory: InputHistory;
    readonly choosesChat: boolean;
    readonly tools: readonly string[] | undefined;
    readonly folder: string;
  },
): Promise<void> {
  const { editor, signal } = options;
  process.stdout.write(enter);
  const shown = render(
    <ChatApp
      chatSession={chatSession}
      style={createStyle(options.colors)}
      models={() => cliEngine.providers.list()}
      askForModels={async () => {
        await cliEngine.providers.refresh(AbortSignal.any([signal, AbortSignal.timeout(askModelsMs)]));
        return cliEngine.providers.list();
      }}
      inputHistory={options.inputHistory}
      choosesChat={options.choosesChat}
      commands={cliEngine.commands.list}
      tools={cliEngine.tools.list().filter(({ name }) => options.tools?.includes(name) ?? true)}
      folder={options.folder}
      windowOf={(model) => {
        const known = cliEngine.providers.list().find(({ id }) => id === model);
        return known?.windowKnown === true ? known.window : null;
      }}
      edit={editor === undefined || editor === '' ? null : (text) => editedIn(editor, text)}
    />,
    { exitOnCtrlC: false, patchConsole: false },
  );
  // A signal ends the interface as if the user had left, with the terminal restored.
  const stop = () => shown.unmount();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await shown.waitUntilExit();
  } finally {
    signal.removeEventListener('abort', stop);
    shown.unmount();
    process.stdout.write(leave);
  }
}

/** Runs the user's editor, which gets the terminal meanwhile. */
function editedIn(editor: string, text: string): EditorResult {
  process.stdout.write(leave);
  process.stdin.setRawMode?.(false);
  try {
    return editInExternalEditor(editor, text);
  } finally {
    process.stdin.setRawMode?.(true);
    process.stdout.write(enter);
  }
}
