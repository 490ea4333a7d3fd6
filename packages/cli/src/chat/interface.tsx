/** Starts the interface on a terminal and restores the terminal at the end. Loaded only if output is a terminal. */
import { render, Text } from 'ink';
import type { ChatEngine } from '../chat-engine.ts';
import type { TextStyles } from '../terminal/style.ts';
import { ChatApp } from './app.tsx';
import type { ChatSession } from './chat-session.ts';
import { saveClipboardImage } from './clipboard-image.ts';
import { type EditorResult, editInExternalEditor } from './external-editor.ts';
import type { InputHistory } from './input-history.ts';
import type { TranscriptFeed } from './transcript-feed.ts';

// Turns on bracketed paste. The full screen also uses the alternate screen, so that the previous content returns
// afterwards.
const [enterInline, leaveInline] = ['\u001b[?2004h', '\u001b[?2004l'];
const [enterFull, leaveFull] = [`\u001b[?1049h${enterInline}`, `${leaveInline}\u001b[?1049l`];

// How long to wait for the models of a server. Models of a slower server are not listed.
const askModelsMs = 5_000;

/** Runs the interface until the user leaves: inline if a transcript is given, else on the full screen. */
export async function runChatInterface(
  chatSession: ChatSession,
  cliEngine: ChatEngine,
  options: {
    readonly style: TextStyles;
    readonly transcript: TranscriptFeed | null;
    readonly env: Readonly<Record<string, string | undefined>>;
    /** The folder for images of the clipboard. */
    readonly pastedFolder: string;
    readonly editor: string | undefined;
    readonly signal: AbortSignal;
    readonly inputHistory: InputHistory;
    readonly choosesChat: boolean;
    readonly tools: readonly string[] | undefined;
    readonly folder: string;
  },
): Promise<void> {
  const { editor, signal, transcript } = options;
  const [enter, leave] = transcript === null ? [enterFull, leaveFull] : [enterInline, leaveInline];
  // Raw mode is set before the first frame, because the echo of a key would shift the frame.
  process.stdin.setRawMode?.(true);
  process.stdout.write(enter);
  const shown = render(
    <ChatApp
      chatSession={chatSession}
      style={options.style}
      transcript={transcript}
      leave={() => stop()}
      pasteImage={() => saveClipboardImage(options.pastedFolder, options.env)}
      models={() => cliEngine.models.list()}
      askForModels={async () => {
        await cliEngine.models.refresh(AbortSignal.any([signal, AbortSignal.timeout(askModelsMs)]));
        return cliEngine.models.list();
      }}
      inputHistory={options.inputHistory}
      choosesChat={options.choosesChat}
      commands={cliEngine.commands.list}
      tools={cliEngine.tools.list().filter(({ name }) => options.tools?.includes(name) ?? true)}
      folder={options.folder}
      windowOf={(model) => {
        const known = cliEngine.models.list().find(({ id }) => id === model);
        return known?.windowKnown === true ? known.window : null;
      }}
      edit={editor === undefined || editor === '' ? null : (text) => editedIn(editor, text, enter, leave)}
    />,
    { exitOnCtrlC: false, patchConsole: false },
  );
  // A signal ends the interface as if the user had left, with the terminal restored.
  const stop = () => {
    // Erases the input line. The text that was printed above it stays.
    if (transcript !== null) shown.rerender(<Text> </Text>);
    shown.unmount();
  };
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

/** Runs the user's editor and gives it the terminal until it ends. */
function editedIn(editor: string, text: string, enter: string, leave: string): EditorResult {
  process.stdout.write(leave);
  process.stdin.setRawMode?.(false);
  try {
    return editInExternalEditor(editor, text);
  } finally {
    process.stdin.setRawMode?.(true);
    process.stdout.write(enter);
  }
}
