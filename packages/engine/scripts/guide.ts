// npm run guide: regenerates the knowledge file of offline/guide from README.md and the user documents in docs/.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GuideKnowledge, GuidePassage } from '../src/providers/offline/guide/knowledge.ts';

const repository = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const target = fileURLToPath(new URL('../src/providers/offline/guide/knowledge.json', import.meta.url));

const builders = new Set(['docs/torture.md', 'docs/benchmarks.md']);

/** Returns README.md and every Markdown file in docs/, as sorted paths from the repository root. */
export function listGuideDocuments(top = repository): readonly string[] {
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

// Inline code is matched first, because angle brackets in code are not HTML tags.
const codeOrTag = /(`[^`]*`)|<[^>]+>/g;

/** Returns the plain text of a line of Markdown. */
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

/**
 * Returns the complete sentences of a paragraph, each of 25 to 400 characters. A text that does not end with a full
 * stop, question mark or exclamation mark is left out.
 */
function sentencesOf(paragraph: string): string[] {
  const text = plain(paragraph);
  const found = text.match(/[A-Z`"“(].*?[.!?](?=\s+[A-Z`"“(]|$)/g) ?? [];
  return found.map((each) => each.trim()).filter((each) => each.length >= 25 && each.length <= 400);
}

/** Converts a row of a glossary (a table that begins with the columns Word and Meaning) to a sentence; else empty. */
function rowSentences(columns: readonly string[], cells: readonly string[]): string[] {
  const [word, meaning] = cells;
  const explains = /^(?:word|term)s?$/i.test(columns[0] ?? '') && /^(?:meaning|what it is)$/i.test(columns[1] ?? '');
  if (!explains || word === undefined || meaning === undefined || /^[:\s-]*$/.test(word)) return [];
  return [`In Coppice, ${word} means ${meaning.replace(/[.;]$/, '')}.`];
}

/** The most text that a passage keeps of its tables, in characters. */
const longestTable = 2000;

/** Reads the lines of one document and collects the passage under each heading. */
class PassageReader {
  readonly passages: GuidePassage[] = [];
  readonly #path: string;
  readonly #headings: string[] = [];
  #paragraph: string[] = [];
  #sentences: string[] = [];
  #asks: string[] = [];
  #commands: string[] = [];
  #cells: string[] = [];
  #columns: readonly string[] | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  startSection(level: number, heading: string): void {
    this.closePassage();
    this.#headings.length = Math.min(this.#headings.length, level - 1);
    this.#headings.push(plain(heading));
  }

  /** Adds the example questions of a comment such as `asks: How do I undo? · How do I redo?`. */
  addAsks(comment: string): void {
    this.#asks.push(
      ...comment
        .split('·')
        .map((each) => each.replace(/\s+/g, ' ').trim())
        .filter((each) => each !== ''),
    );
  }

  addCommand(line: string): void {
    if (line.trim() !== '') this.#commands.push(line.trimEnd());
  }

  addRow(line: string): void {
    this.closeParagraph();
    const cells = line.trim().slice(1, -1).split('|').map(plain);
    if (this.#columns === null) this.#columns = cells;
    else {
      this.#sentences.push(...rowSentences(this.#columns, cells));
      if (!/^[:\s-]*$/.test(cells.join(''))) this.#cells.push(cells.join(' '));
    }
  }

  addText(line: string): void {
    this.#paragraph.push(line);
  }

  closeParagraph(): void {
    this.#sentences.push(...sentencesOf(this.#paragraph.join(' ')));
    this.#paragraph = [];
  }

  closeTable(): void {
    this.#columns = null;
  }

  closePassage(): void {
    this.closeParagraph();
    const title = this.#headings.filter((each) => each !== undefined && each !== '').join(': ');
    const table = this.#cells.join(' ').slice(0, longestTable);
    const [asks, sentences, commands] = [this.#asks, this.#sentences, this.#commands];
    if (sentences.length > 0 || asks.length > 0) {
      const anchor = anchorOf(this.#headings.at(-1) ?? '');
      this.passages.push({ path: this.#path, title, anchor, asks, sentences, commands, table });
    }
    [this.#asks, this.#sentences, this.#commands, this.#cells] = [[], [], [], []];
  }
}

const fence = /^\s*(?:```|~~~)(\w*)/;
const listItem = /^\s*(?:[-*+]|\d+\.)\s+/;

/** Returns the passages of one document: one for each heading with sentences or example questions below it. */
export function splitIntoPassages(path: string, text: string): GuidePassage[] {
  const reader = new PassageReader(path);
  /** The language of the open code fence; null outside of fences. */
  let language: string | null = null;
  // Comments may span several lines; those without example questions are dropped.
  const withMarks = text.replace(/<!--([\s\S]*?)-->/g, (_whole, comment: string) => {
    const [, asks] = /^\s*asks:([\s\S]*)$/.exec(comment) ?? [];
    return asks === undefined ? '' : `\u0000${asks.replace(/\s+/g, ' ')}`;
  });
  for (const line of withMarks.split(/\r?\n/)) {
    const [mark, opened] = fence.exec(line) ?? [];
    if (mark !== undefined) {
      reader.closeParagraph();
      language = language === null ? (opened ?? '') : null;
    } else if (language !== null) {
      if (language === 'sh') reader.addCommand(line);
    } else if (line.startsWith('\u0000')) reader.addAsks(line.slice(1));
    else readLine(reader, line);
  }
  reader.closePassage();
  return reader.passages;
}

function readLine(reader: PassageReader, line: string): void {
  const heading = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
  if (heading !== null) reader.startSection(heading[1]?.length ?? 1, heading[2] ?? '');
  else if (/^\s*\|/.test(line)) reader.addRow(line);
  else if (line.trim() === '') {
    reader.closeTable();
    reader.closeParagraph();
  } else if (listItem.test(line)) {
    reader.closeParagraph();
    reader.addText(line.replace(listItem, ''));
  } else reader.addText(line.replace(/^\s*>\s?/, ''));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** Builds the guide's knowledge, as the content of its file. */
export function buildGuideKnowledge(top = repository): GuideKnowledge {
  const passages: GuidePassage[] = [];
  for (const path of listGuideDocuments(top)) {
    // Documents for contributors do not answer questions of users.
    if (path.startsWith('docs/decisions/') || builders.has(path)) continue;
    passages.push(...splitIntoPassages(path, readFileSync(join(top, path), 'utf8')));
  }
  return { passages };
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) {
  const knowledge = buildGuideKnowledge();
  writeFileSync(target, `${JSON.stringify(knowledge, null, 2)}\n`);
  console.log(`${knowledge.passages.length} passages.`);
}
