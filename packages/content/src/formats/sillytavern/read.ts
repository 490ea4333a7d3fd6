// Merges the files of one chat into one tree. SillyTavern has no ids, so a message is identified by its text and the
// messages before it. Copies in branch files are merged in any order of the files, and a later export finds the
// messages of an earlier import.
import type { Json, JsonObject } from '@coppice/core';
import type { ReadEvent, ReadOptions } from '../contract.ts';
import { getFilledText, getTexts, isJsonObject, listAt, objectAt, textAt } from '../fields.ts';
import { readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { ImportInput, InputFile } from '../input.ts';
import { buildNonObjectFinding } from '../structure-findings.ts';
import { SillytavernChat } from './chat.ts';

/** Whether a line is the header of a file: names, date and metadata. */
export function isSillytavernHeader(line: JsonObject): boolean {
  return !('mes' in line) && (isJsonObject(line.chat_metadata) || ('user_name' in line && 'character_name' in line));
}

/** Whether a line is a message in SillyTavern's form. */
export function isSillytavernMessage(line: JsonObject): boolean {
  return typeof line.mes === 'string' && ('is_user' in line || 'swipes' in line || 'send_date' in line);
}

/** The data that decides which files belong together, without their messages. */
interface ChatOutline {
  readonly file: InputFile;
  readonly isChat: boolean;
  /** The name of the chat from which the file was copied. */
  readonly main: string | undefined;
  readonly names: ReadonlySet<string>;
  /** The first user message with its time. Copies share it, other chats do not. */
  readonly opening: string | undefined;
}

const folderOfChat = (name: string) => name.slice(0, name.lastIndexOf('/') + 1);
const chatKey = (name: string) => name.replace(/\.jsonl$/i, '');

function openingOf(folder: string, line: JsonObject): string | undefined {
  if (line.is_user !== true || line.send_date === undefined) return undefined;
  return JSON.stringify([folder, textAt(line, 'name') ?? '', textAt(line, 'mes') ?? '', line.send_date]);
}

async function readChatOutline(file: InputFile): Promise<ChatOutline> {
  const folder = folderOfChat(file.name);
  const names = new Set<string>();
  let main: string | undefined;
  let opening: string | undefined;
  let isChat = false;
  for await (const record of readLineRecords(file)) {
    if (record.type !== 'record' || !isJsonObject(record.value)) continue;
    const line = record.value;
    if (isSillytavernHeader(line)) {
      isChat = true;
      main ??= getFilledText(objectAt(line, 'chat_metadata'), 'main_chat');
      continue;
    }
    if (!isSillytavernMessage(line)) continue;
    isChat = true;
    opening ??= openingOf(folder, line);
    const extra = objectAt(line, 'extra');
    for (const name of getTexts(extra, 'branches')) names.add(folder + name);
    const link = getFilledText(extra, 'bookmark_link');
    if (link !== undefined) names.add(folder + link);
  }
  const source = main === undefined ? undefined : folder + chatKey(main);
  if (source !== undefined) names.add(source);
  return { file, isChat, main: source, names, opening };
}

/** Groups files that name each other or the same file, or that begin with the same message at the same time. */
function chatGroups(outlines: readonly ChatOutline[]): ChatOutline[][] {
  const above = outlines.map((_, index) => index);
  const top = (index: number) => {
    let at = index;
    for (let next = above[at] ?? at; next !== at; next = above[at] ?? at) {
      above[at] = above[next] ?? next;
      at = next;
    }
    return at;
  };
  const known = new Map<string, number>();
  const join = (sign: string, index: number) => {
    const other = known.get(sign);
    if (other === undefined) known.set(sign, index);
    else above[top(index)] = top(other);
  };
  for (const [index, { file, names, opening }] of outlines.entries()) {
    join(`name ${chatKey(file.name)}`, index);
    for (const name of names) join(`name ${chatKey(name)}`, index);
    if (opening !== undefined) join(`opening ${opening}`, index);
  }
  const groups = new Map<number, ChatOutline[]>();
  for (const [index, outline] of outlines.entries()) {
    const group = groups.get(top(index));
    if (group === undefined) groups.set(top(index), [outline]);
    else group.push(outline);
  }
  return [...groups.values()].map(mainFirst);
}

/** Sorts the chat before its copies, and the copies by name, so that the order of the folder does not matter. */
function mainFirst(group: readonly ChatOutline[]): ChatOutline[] {
  const there = new Set(group.map(({ file }) => chatKey(file.name)));
  const rank = ({ main }: ChatOutline) => (main === undefined ? 0 : there.has(main) ? 2 : 1);
  return [...group].sort(
    (a, b) => rank(a) - rank(b) || (a.file.name < b.file.name ? -1 : a.file.name > b.file.name ? 1 : 0),
  );
}

async function readSillytavernFile(file: InputFile, chat: SillytavernChat): Promise<ImportFinding[]> {
  const loose: ImportFinding[] = [];
  chat.open(file.name);
  let first = true;
  for await (const record of readLineRecords(file)) {
    if (record.type === 'finding') loose.push(record.finding);
    if (record.type !== 'record') continue;
    for (const found of record.findings) chat.findings.push(found);
    const line: Json = record.value;
    const number = Number(record.path[0] ?? 0);
    if (!isJsonObject(line)) chat.findings.push(buildNonObjectFinding(record.place));
    else if (first && isSillytavernHeader(line)) chat.header(line);
    else if (typeof line.mes === 'string' || listAt(line, 'swipes').length > 0) chat.line(line, number, record.place);
    else
      chat.findings.push(buildFinding('import/skipped', 'loss', record.place, buildFindingDetail('not-a-message'), 1));
    first = false;
  }
  chat.close();
  return loose;
}

async function* readGroup(files: readonly InputFile[], options: ReadOptions): AsyncGenerator<ReadEvent> {
  const chat = new SillytavernChat();
  for (const file of files) {
    for (const one of await readSillytavernFile(file, chat)) yield { type: 'finding', finding: one };
    yield { type: 'pause' };
  }
  const tree = chat.tree(options.scope);
  if (tree !== undefined) yield { type: 'tree', tree };
}

/** Yields one tree for each chat. Several files are first scanned to find those that belong to the same chat. */
export async function* read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  if (input.files.length === 1) {
    yield* readGroup(input.files, options);
    return;
  }
  const outlines: ChatOutline[] = [];
  for (const file of input.files) {
    const outline = await readChatOutline(file);
    yield { type: 'pause' };
    if (outline.isChat) outlines.push(outline);
    else yield { type: 'finding', finding: buildFinding('import/skipped', 'note', file.name) };
  }
  for (const group of chatGroups(outlines))
    yield* readGroup(
      group.map(({ file }) => file),
      options,
    );
}
