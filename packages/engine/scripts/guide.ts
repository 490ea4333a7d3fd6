// npm run guide: writes what offline/guide knows anew, from README.md and what is under docs/ for users.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Knowledge, Passage } from '../src/providers/offline/guide/knowledge.ts';

const repository = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const target = fileURLToPath(new URL('../src/providers/offline/guide/knowledge.json', import.meta.url));

const builders = new Set(['docs/torture.md', 'docs/benchmarks.md']);

/** The documents that the guide knows, by path from the top of the repository. */
export function documents(top = repository): readonly string[] {
  const found = ['README.md'];
  const open = ['docs'];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(join(top, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (entry.name.endsWith('.md')) found.push(path);
    }
  }
  return found.sort();
}

// Lines of a shell have angle brackets that are no tags.
const codeOrTag = /(`[^`]*`)|<[^>]+>/g;

/** Markdown inside a line, as a reader hears it. */
function plain(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(codeOrTag, (_whole, code: string | undefined) => code ?? '')
    .replace(/(\*\*|__)(.+?)\1/g, '$2')
    .replace(/(?<![\w*])[*_]([^*_]+)[*_](?![\w*])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whole sentences of a paragraph; headings, fragments and lists without a verb's full stop are none. */
function sentencesOf(paragraph: string): string[] {
  const text = plain(paragraph);
  const found = text.match(/[A-Z`"“(].*?[.!?](?=\s+[A-Z`"“(]|$)/g) ?? [];
  return found.map((each) => each.trim()).filter((each) => each.length >= 25 && each.length <= 400);
}

/** A row of a table of words as a sentence; other tables say nothing when read aloud. */
function rowSentences(columns: readonly string[], cells: readonly string[]): string[] {
  const [word, meaning] = cells;
  const explains = /^(?:word|term)s?$/i.test(columns[0] ?? '') && /^(?:meaning|what it is)$/i.test(columns[1] ?? '');
  if (!explains || word === undefined || meaning === undefined || /^[:\s-]*$/.test(word)) return [];
  return [`In Coppice, ${word} means ${meaning.replace(/[.;]$/, '')}.`];
}

/** The passages of one document: one for each heading that has sentences under it. */
export function passagesOf(path: string, text: string): Passage[] {
  const passages: Passage[] = [];
  const headings: string[] = [];
  let paragraph: string[] = [];
  let sentences: string[] = [];
  let fenced = false;
  let columns: readonly string[] | null = null;
  const closeParagraph = () => {
    sentences.push(...sentencesOf(paragraph.join(' ')));
    paragraph = [];
  };
  const closePassage = () => {
    closeParagraph();
    const title = headings.filter((each) => each !== undefined && each !== '').join(': ');
    if (sentences.length > 0) passages.push({ path, title, anchor: anchorOf(headings.at(-1) ?? ''), sentences });
    sentences = [];
  };
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced;
      closeParagraph();
      continue;
    }
    if (fenced) continue;
    const heading = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    if (heading !== null) {
      closePassage();
      const level = heading[1]?.length ?? 1;
      headings.length = Math.min(headings.length, level - 1);
      headings.push(plain(heading[2] ?? ''));
    } else if (/^\s*\|/.test(line)) {
      closeParagraph();
      const cells = line.trim().slice(1, -1).split('|').map(plain);
      if (columns === null) columns = cells;
      else sentences.push(...rowSentences(columns, cells));
    } else if (line.trim() === '') {
      columns = null;
      closeParagraph();
    } else if (/^\s*(?:[-*+]|\d+\.)\s+/.test(line)) {
      closeParagraph();
      paragraph.push(line.replace(/^\s*(?:[-*+]|\d+\.)\s+/, ''));
    } else paragraph.push(line.replace(/^\s*>\s?/, ''));
  }
  closePassage();
  return passages;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** What the guide knows, as its file has it. */
export function makeKnowledge(top = repository): Knowledge {
  const passages: Passage[] = [];
  for (const path of documents(top)) {
    // Reports for those who build Coppice answer no question of those who use it.
    if (path.startsWith('docs/decisions/') || builders.has(path)) continue;
    passages.push(...passagesOf(path, readFileSync(join(top, path), 'utf8')));
  }
  return { passages };
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) {
  const knowledge = makeKnowledge();
  writeFileSync(target, `${JSON.stringify(knowledge, null, 2)}\n`);
  console.log(`${knowledge.passages.length} passages.`);
}
