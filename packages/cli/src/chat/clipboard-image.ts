/**
 * Saves the image of the clipboard as a file. A terminal passes on only text, so a program of the desktop reads the
 * clipboard.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A program that prints the image of the clipboard as PNG, or writes it to a given file. */
interface ClipboardProgram {
  readonly command: string;
  readonly words: (file: string) => readonly string[];
  readonly writesFile?: boolean;
}

const windowsScript =
  'Add-Type -AssemblyName System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i -eq $null) { exit 1 }; $i.Save($args[0])';

const macScript = (file: string) =>
  `set f to open for access POSIX file ${JSON.stringify(file)} with write permission\nwrite (the clipboard as «class PNGf») to f\nclose access f`;

const onLinux: readonly ClipboardProgram[] = [
  { command: 'wl-paste', words: () => ['--type', 'image/png'] },
  { command: 'xclip', words: () => ['-selection', 'clipboard', '-t', 'image/png', '-o'] },
];

const programs: Readonly<Partial<Record<NodeJS.Platform, readonly ClipboardProgram[]>>> = {
  darwin: [{ command: 'osascript', words: (file) => ['-e', macScript(file)], writesFile: true }],
  win32: [
    {
      command: 'powershell',
      words: (file) => ['-NoProfile', '-STA', '-Command', `& { ${windowsScript} } '${file.replaceAll("'", "''")}'`],
      writesFile: true,
    },
  ],
};

/** A saved image, or why the clipboard gave no image. */
export type PastedImage = { readonly path: string } | { readonly failed: string };

/** Saves the image of the clipboard in a folder that only the user can read. */
export async function saveClipboardImage(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Promise<PastedImage> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const tried = programs[platform] ?? onLinux;
  for (const program of tried) {
    const bytes = await imageFrom(program, join(folder, 'clipboard.png'), env);
    if (bytes === null || !isPng(bytes)) continue;
    const path = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.png`);
    await writeFile(path, bytes, { mode: 0o600 });
    return { path };
  }
  const names = tried.map(({ command }) => command).join(' or ');
  return { failed: `There is no image in the clipboard, or ${names} is missing. Write @ and the path of a file.` };
}

function isPng(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
}

// A program that does not respond within this time is stopped, so that it does not block the chat.
const longestMs = 5_000;

async function imageFrom(
  { command, words, writesFile }: ClipboardProgram,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Uint8Array | null> {
  const printed = await new Promise<Uint8Array | null>((resolve) => {
    const child = spawn(command, words(file), {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: longestMs,
      windowsHide: true,
    });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code === 0 ? Buffer.concat(parts) : null));
  });
  if (printed === null || writesFile !== true) return printed;
  try {
    return await readFile(file);
  } catch {
    // The program reported success without writing a file.
    return null;
  } finally {
    await rm(file, { force: true });
  }
}
