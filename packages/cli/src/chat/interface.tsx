/** Starts the interface on a terminal and gives the terminal back as it was. Loaded only when there is one. */
import { render } from 'ink';
import type { CliEngine } from '../cli-engine.ts';
import { createStyle } from '../terminal/style.ts';
import { ChatApp } from './app.tsx';
import type { ChatSession } from './chat-session.ts';
import { type EditorResult, editInExternalEditor } from './external-editor.ts';

// The other screen, so that what was on the terminal is there again afterwards; and pasted text told apart from typed.
const [enter, leave] = ['\u001b[?1049h\u001b[?2004h', '\u001b[?2004l\u001b[?1049l'];

// A server that does not answer in this time has no models to show.
const askModelsMs = 5_000;

/** Runs the interface until the user leaves. */
export async function runInterface(
  chatSession: ChatSession,
  cliEngine: CliEngine,
  options: { readonly colors: boolean; readonly editor: string | undefined; readonly signal: AbortSignal },
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
      edit={editor === undefined || editor === '' ? null : (text) => editedIn(editor, text)}
    />,
    { exitOnCtrlC: false, patchConsole: false },
  );
  // A stop from outside ends it as the user would: with the terminal as it was before.
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

/** Has a text written in the user's own editor, which has the terminal meanwhile. */
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
