/** Opens a text in the user's editor. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The edited text, or why it is unchanged. */
export type EditorResult = { readonly text: string } | { readonly failed: string };

/** Runs an editor on a text. Never throws: after an error the original text is kept. */
export function editInExternalEditor(editor: string, text: string): EditorResult {
  const [program = editor, ...words] = editor.split(' ').filter((word) => word !== '');
  let folder: string | null = null;
  const restoreSignals = ignoreSignals();
  try {
    folder = mkdtempSync(join(tmpdir(), 'coppice-draft-'));
    const file = join(folder, 'draft.md');
    writeFileSync(file, text, { mode: 0o600 });
    const { status, signal, error } = spawnSync(program, [...words, file], { stdio: 'inherit' });
    if (error !== undefined) return { failed: `The editor ${program} could not be started: ${error.message}.` };
    if (status !== 0) return { failed: `The editor ${program} ended with ${status ?? signal}. The text is unchanged.` };
    return { text: readFileSync(file, 'utf8').replace(/\n$/, '') };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { failed: `The file of the editor ${program} cannot be read: ${why}. The text is unchanged.` };
  } finally {
    restoreSignals();
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

// How long Ctrl-C is ignored after the editor has ended. A signal that arrived before is delivered only when the event
// loop continues.
const settleMs = 100;

/**
 * Ignores Ctrl-C until the returned function is called: the user sends it to the editor, but the terminal signals all
 * processes.
 */
function ignoreSignals(): () => void {
  const listeners = process.listeners('SIGINT');
  const ignore = () => undefined;
  // The new listener is added first: without any listener SIGINT would end the process.
  process.on('SIGINT', ignore);
  for (const each of listeners) process.off('SIGINT', each);
  return () =>
    void setTimeout(() => {
      for (const each of listeners) process.on('SIGINT', each);
      process.off('SIGINT', ignore);
    }, settleMs);
}
