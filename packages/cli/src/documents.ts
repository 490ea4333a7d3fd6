/** Finds and reads the documentation that is installed with the command. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A document and its name in links of the guide, such as `models` or `guides/deploy`. */
export interface InstalledDocument {
  readonly name: string;
  readonly title: string;
  /** The path of its file. */
  readonly path: string;
}

/** Returns the folder with README.md and docs, in the package or in the checkout. */
function documentsFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const installed = join(here, '..', '..', 'documents');
  return existsSync(installed) ? installed : join(here, '..', '..', '..');
}

/** Returns the Markdown of a document. */
export function readDocument({ path }: Pick<InstalledDocument, 'path'>): string {
  // HTML comments contain data for tests and for the guide, not for readers.
  return readFileSync(path, 'utf8').replaceAll(/<!--[\s\S]*?-->\r?\n?/g, '');
}

/**
 * Returns all documents: the README first, then by name. `coppice docs` lists all of them except the decisions of the
 * project.
 */
export function listInstalledDocuments(): readonly InstalledDocument[] {
  const top = documentsFolder();
  const names: string[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(join(top, 'docs', folder), { withFileTypes: true })) {
      const name = posix.join(folder, entry.name);
      if (entry.isDirectory()) open.push(name);
      else if (name.endsWith('.md')) names.push(name.slice(0, -3));
    }
  }
  const files = names.sort().map((name) => ({ name, path: join(top, 'docs', `${name}.md`) }));
  return [{ name: 'readme', path: join(top, 'README.md') }, ...files].map((file) => ({
    ...file,
    title: /^# (.+)$/m.exec(readDocument(file))?.[1] ?? file.name,
  }));
}

/** Returns the anchor of a heading, as in the links of the guide. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/**
 * Returns the part of a document below a heading, up to the next heading of the same level; null if no heading has that
 * anchor.
 */
export function findDocumentSection(text: string, anchor: string): string | null {
  const lines = text.split(/\r?\n/);
  let isCode = false;
  let [start, level] = [-1, 0];
  for (const [at, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const [, marks = '', heading = ''] = isCode ? [] : (/^(#{1,6})\s+(.+?)\s*#*$/.exec(line) ?? []);
    if (marks === '') continue;
    if (start !== -1 && marks.length <= level) return lines.slice(start, at).join('\n');
    if (start === -1 && anchorOf(heading) === anchor) [start, level] = [at, marks.length];
  }
  return start === -1 ? null : lines.slice(start).join('\n');
}

/** Returns the command that opens a link of the guide; null for other links. */
export function toDocsCommand(address: string): string | null {
  const [, name] = /^coppice:docs\/([\w/-]+(?:#[\p{L}\p{N}_-]+)?)$/u.exec(address) ?? [];
  return name === undefined ? null : `coppice docs ${name}`;
}
