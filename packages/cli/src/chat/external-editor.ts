/** A text on its way through the user's own editor. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What came of it: the text as it is now, or why it is what it was. */
export type EditorResult = { readonly text: string } | { readonly failed: string };

/** Has a text written in an editor. Never throws: whatever goes wrong, what was written before is worth more. */
export function editInExternalEditor(editor: string, text: string): EditorResult {
  const [program = editor, ...words] = editor.split(' ').filter((word) => word !== '');
  let folder: string | null = null;
  const hear = ignoreSignals();
  try {
    folder = mkdtempSync(join(tmpdir(), 'coppice-draft-'));
    const file = join(folder, 'draft.md');
    writeFileSync(file, text, { mode: 0o600 });
    const { status, signal, error } = spawnSync(program, [...words, file], { stdio: 'inherit' });
    if (error !== undefined) return { failed: `The editor ${program} could not be started: ${error.message}.` };
    if (status !== 0)
      return { failed: `The editor ${program} ended with ${status ?? signal}; the text is what it was.` };
    return { text: readFileSync(file, 'utf8').replace(/\n$/, '') };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { failed: `What the editor ${program} was to write is not there: ${why}. The text is what it was.` };
  } finally {
    hear();
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

// Longer than a signal that came while the editor ran takes to arrive: it is handed on only when everything else goes on.
const settleMs = 100;

/** A Ctrl-C in an editor is meant for it, but the terminal tells everybody: until the returned function is called, nobody listens. */
function ignoreSignals(): () => void {
  const listeners = process.listeners('SIGINT');
  const ignore = () => undefined;
  // First the new one: a process where nobody listens would end.
  process.on('SIGINT', ignore);
  for (const each of listeners) process.off('SIGINT', each);
  return () =>
    void setTimeout(() => {
      for (const each of listeners) process.on('SIGINT', each);
      process.off('SIGINT', ignore);
    }, settleMs);
}
