/** Starts the interface on a terminal and restores the terminal at the end. Loaded only if output is a terminal. */
import { render } from 'ink';
import type { ChatEngine } from '../chat-engine.ts';
import type { TextStyles } from '../terminal/style.ts';
import { ChatApp } from './app.tsx';
import type { ChatSession } from './chat-session.ts';
import { saveClipboardImage } from './clipboard-image.ts';
import { editInExternalEditor } from './external-editor.ts';
import type { InputHistory } from './input-history.ts';
import { doesTerminalRewrapLines, ScreenWriter } from './screen-writer.ts';
import type { TranscriptQueue } from './transcript-queue.ts';

// Turns on bracketed paste and hides the cursor. The full screen also uses the alternate screen, so that the previous
// content returns afterwards.
const [enterInline, leaveInline] = ['\u001b[?2004h\u001b[?25l', '\u001b[?25h\u001b[?2004l'];
const [enterFull, leaveFull] = [`\u001b[?1049h\u001b[2J\u001b[H${enterInline}`, `${leaveInline}\u001b[?1049l`];

// How long to wait for the models of a server. Models of a slower server are not listed.
const askModelsMs = 5_000;

/** Runs the interface until the user leaves: inline if a transcript is given, else on the full screen. */
export async function runChatInterface(
  chatSession: ChatSession,
  cliEngine: ChatEngine,
  options: {
    readonly style: TextStyles;
    readonly transcript: TranscriptQueue | null;
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
  const screen = new ScreenWriter(process.stdout, {
    isFullScreen: transcript === null,
    rewraps: doesTerminalRewrapLines(options.env),
    restAfterResizeMs: 60,
    refreshSize: () => void process.emit('SIGWINCH', 'SIGWINCH'),
    takePrinted: () => transcript?.takePrinted() ?? [],
  });
  /** Erases the interface and restores the terminal for another program. */
  const giveTerminal = () => {
    screen.pause();
    process.stdout.write(leave);
    process.stdin.setRawMode?.(false);
  };
  const takeTerminal = () => {
    process.stdin.setRawMode?.(true);
    process.stdout.write(enter);
    screen.resume();
  };
  // Raw mode is set before the first frame, because the echo of a key would shift the frame.
  process.stdin.setRawMode?.(true);
  process.stdout.write(enter);
  const shown = render(
    <ChatApp
      chatSession={chatSession}
      style={options.style}
      transcript={transcript}
      screen={screen}
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
      edit={
        editor === undefined || editor === ''
          ? null
          : (text) => {
              giveTerminal();
              try {
                return editInExternalEditor(editor, text);
              } finally {
                takeTerminal();
              }
            }
      }
      suspend={process.platform === 'win32' ? null : () => suspendProcess(giveTerminal, takeTerminal)}
    />,
    // In this mode Ink writes each frame as it is, and nothing else.
    { stdout: frameStream(screen), debug: true, exitOnCtrlC: false, patchConsole: false },
  );
  // Shows printed text, such as the output of a command, even if no new frame follows.
  const unsubscribe = transcript?.listen(() => setImmediate(() => screen.flush()));
  // A signal ends the interface as if the user had left, with the terminal restored.
  const stop = () => {
    // Erases the input line. The text that was printed above it stays.
    screen.pause();
    shown.unmount();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await shown.waitUntilExit();
  } finally {
    signal.removeEventListener('abort', stop);
    unsubscribe?.();
    screen.pause();
    shown.unmount();
    process.stdout.write(leave);
  }
}

/**
 * Returns the standard output as a stream whose writes are frames. Ink does not learn of new sizes, because it would draw
 * the old state once more before the interface is laid out for the new size.
 */
function frameStream(screen: ScreenWriter): NodeJS.WriteStream {
  const write = (frame: string, done?: () => void): boolean => {
    if (frame !== '') screen.draw(frame);
    if (done !== undefined) setImmediate(done);
    return true;
  };
  return new Proxy(process.stdout, {
    get(stdout, name) {
      if (name === 'write') return write;
      if (name === 'on' || name === 'off') return () => stdout;
      return Reflect.get(stdout, name, stdout);
    },
  });
}

// A shell without job control ignores the stop signal. The chat then uses the terminal again after this time.
const noJobControlMs = 100;

/** Stops this process and those of its group, as the terminal does for Ctrl-Z, until the shell continues them. */
function suspendProcess(giveTerminal: () => void, takeTerminal: () => void): Promise<void> {
  return new Promise((resolve) => {
    giveTerminal();
    const resume = () => {
      process.removeListener('SIGCONT', resume);
      clearTimeout(wait);
      takeTerminal();
      resolve();
    };
    process.once('SIGCONT', resume);
    const wait = setTimeout(resume, noJobControlMs);
    process.kill(0, 'SIGTSTP');
  });
}
