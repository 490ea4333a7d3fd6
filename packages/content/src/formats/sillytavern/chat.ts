// Builds one chat from its files and merges their common beginnings.
import type { Json, JsonObject, NodeMeta } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import type { ImportedNode, ImportedTree } from '../contract.ts';
import { checkTime, getFilledText, isJsonObject, listAt, numberAt, objectAt, parseIsoTime, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { imageFromUrl } from '../openai-messages.ts';
import { parseSillytavernDate } from './times.ts';

type ChatDraft = { -readonly [K in keyof ImportedNode]: ImportedNode[K] };

interface OpenFile {
  readonly name: string;
  header: JsonObject | undefined;
  /** Lines of this file whose message is already in another file, but which differ from that line outside the text. */
  readonly lines: Json[];
  leaf: string | null;
  newest: number;
  merged: number;
}

function chatRole(line: JsonObject): 'user' | 'assistant' | 'system' {
  if (line.is_user === true) return 'user';
  return textAt(objectAt(line, 'extra'), 'type') === 'narrator' ? 'system' : 'assistant';
}

/** Returns blocks for reasoning, text and images. Images have a URL, because the app stores them in other files. */
function chatBlocks(text: string, extra: JsonObject, place: string, findings: ImportFinding[]): Json[] {
  const blocks: Json[] = [];
  const reasoning = getFilledText(extra, 'reasoning');
  if (reasoning !== undefined) blocks.push({ type: 'thinking', thinking: reasoning });
  if (text !== '') blocks.push({ type: 'text', text });
  const media = listAt(extra, 'media').filter((one): one is JsonObject => isJsonObject(one));
  const files = [...listAt(extra, 'files'), extra.file ?? null].filter((one): one is JsonObject => isJsonObject(one));
  const image = getFilledText(extra, 'image');
  const video = getFilledText(extra, 'video');
  for (const one of [
    ...(image === undefined ? [] : [{ kind: 'image', url: image }]),
    ...(video === undefined ? [] : [{ kind: 'video', url: video }]),
    ...media.map((item) => ({ kind: textAt(item, 'type') ?? 'media', url: textAt(item, 'url') ?? '' })),
    ...files.map((item) => ({ kind: 'file', url: textAt(item, 'url') ?? '', name: textAt(item, 'name') ?? '' })),
  ]) {
    if (one.kind === 'image' && one.url.startsWith('data:')) blocks.push(imageFromUrl(one.url));
    else {
      blocks.push({ ...one, type: 'sillytavern-media' });
      findings.push(buildFinding('import/attachment-missing', 'note', place, one.url.slice(0, 200)));
    }
  }
  return blocks;
}

function chatMeta(line: JsonObject, reported: JsonObject, known: ReadonlySet<string>): NodeMeta {
  const extra = objectAt(reported, 'extra');
  const role = chatRole(line);
  const provider = getFilledText(extra, 'api');
  const model = getFilledText(extra, 'model');
  const began = parseIsoTime(reported.gen_started);
  const ended = parseIsoTime(reported.gen_finished);
  const tokens = numberAt(extra, 'token_count');
  const name = getFilledText(line, 'name');
  const source: JsonObject | undefined =
    role === 'user'
      ? { type: 'user' }
      : role === 'assistant' && (model !== undefined || provider !== undefined)
        ? {
            type: 'model',
            ...(provider === undefined ? {} : { provider }),
            model_name: model ?? 'unknown',
            ...(tokens === undefined ? {} : { usage: { outputTokens: tokens } }),
            ...(began === undefined || ended === undefined || ended < began ? {} : { duration: ended - began }),
          }
        : undefined;
  return {
    ...(source === undefined ? {} : { source }),
    // SillyTavern does not send lines with `is_system` to a model. Some of them are hidden messages of users.
    ...(line.is_system === true ? { excluded: true } : {}),
    // In group chats only the name identifies the author.
    ...(name === undefined || known.has(name) ? {} : { customData: { name } }),
  };
}

/** Collects the files of one chat. */
export class SillytavernChat {
  readonly findings: ImportFinding[] = [];
  readonly #nodes = new Map<string, ChatDraft>();
  readonly #files: OpenFile[] = [];
  readonly #names = new Set<string>();
  #records = 0;

  /** Starts a file; its first message is a child of the root. */
  open(name: string): void {
    this.#files.push({ name, header: undefined, lines: [], leaf: null, newest: Number.NEGATIVE_INFINITY, merged: 0 });
  }

  /** Reads the header line of the current file. */
  header(line: JsonObject): void {
    const file = this.#files.at(-1);
    if (file === undefined) return;
    file.header = line;
    this.#records++;
    for (const key of ['user_name', 'character_name']) {
      const name = getFilledText(line, key);
      if (name !== undefined) this.#names.add(name);
    }
  }

  /** Adds a message with its swipes: variants below the previous message, of which one is continued. */
  line(line: JsonObject, number: number, place: string): void {
    const file = this.#files.at(-1);
    if (file === undefined) return;
    const { texts, selected } = this.#variants(line, place);
    const parent = file.leaf;
    const seen = new Map<string, number>();
    for (const [index, text] of texts.entries()) {
      const nth = seen.get(text) ?? 0;
      seen.set(text, nth + 1);
      const said = [parent, textAt(line, 'name') ?? '', line.is_user === true, text, nth];
      const id = sha256Hex(JSON.stringify(said)).slice(0, 32);
      const reported = this.#reported(line, index, selected);
      const draft = this.#nodes.get(id) ?? this.#draft(id, parent, line, reported, text, place);
      if (texts.length > 1) draft.group = `swipes of ${parent ?? ''}`;
      if (index !== selected) continue;
      this.#keep(draft, line, reported, number, file);
      file.leaf = id;
      file.newest = Math.max(file.newest, draft.createdAt ?? Number.NEGATIVE_INFINITY);
    }
  }

  /** Ends the current file, and reports how many of its messages were already in another file. */
  close(): void {
    const file = this.#files.at(-1);
    if (file !== undefined && file.merged > 0)
      this.findings.push(
        buildFinding('import/merged', 'note', file.name, buildFindingDetail('lines-in-another-file', file.merged)),
      );
  }

  /** Builds the tree; undefined for files without a chat. */
  tree(scope: string | undefined): ImportedTree | undefined {
    const [main] = this.#files;
    if (main === undefined || (this.#nodes.size === 0 && this.#records === 0)) return undefined;
    const metadata = objectAt(main.header ?? {}, 'chat_metadata');
    const integrity = getFilledText(metadata, 'integrity');
    const title = main.name.slice(main.name.lastIndexOf('/') + 1).replace(/\.jsonl$/i, '');
    const created = main.header?.create_date;
    const createdAt = parseSillytavernDate(created);
    let last = main;
    for (const file of this.#files) if (file.leaf !== null && file.newest > last.newest) last = file;
    return {
      externalId: integrity ?? JSON.stringify([title, created ?? null]),
      scope: integrity === undefined ? (scope ?? '') : '',
      ...(title === '' ? {} : { title }),
      ...(createdAt === undefined ? {} : { createdAt }),
      nodes: [...this.#nodes.values()],
      activeExternalId: last.leaf,
      record: {
        files: this.#files.map(({ name, header, lines }) => ({
          name,
          ...(header === undefined ? {} : { header }),
          ...(lines.length === 0 ? {} : { lines }),
        })),
      },
      ownRecords: this.#records,
      place: main.name,
      findings: this.findings,
    };
  }

  /**
   * Returns the texts of a message and the index of the shown one. The shown text is always `mes`, even if the list of
   * swipes differs.
   */
  #variants(line: JsonObject, place: string): { texts: readonly string[]; selected: number } {
    const swipes = listAt(line, 'swipes');
    const texts = swipes.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    const mes = textAt(line, 'mes');
    const named = numberAt(line, 'swipe_id') ?? 0;
    const shown = texts[named];
    if (mes === undefined) return { texts, selected: shown === undefined ? 0 : named };
    if (texts.length === 0 || shown === mes)
      return texts.length === 0 ? { texts: [mes], selected: 0 } : { texts, selected: named };
    this.findings.push(buildFinding('import/inferred', 'repair', place, buildFindingDetail('text-not-among-swipes')));
    const other = texts.indexOf(mes);
    return other === -1 ? { texts: [...texts, mes], selected: texts.length } : { texts, selected: other };
  }

  /**
   * Returns the fields of a swipe. For the shown swipe this is the line itself, else its entry, which may be missing.
   */
  #reported(line: JsonObject, index: number, selected: number): JsonObject {
    if (index === selected) return line;
    const info = listAt(line, 'swipe_info')[index];
    return isJsonObject(info) ? info : {};
  }

  #draft(
    id: string,
    parent: string | null,
    line: JsonObject,
    reported: JsonObject,
    text: string,
    place: string,
  ): ChatDraft {
    const createdAt = parseSillytavernDate(reported.send_date);
    for (const one of checkTime(reported.send_date, createdAt, place)) this.findings.push(one);
    const content = chatBlocks(text, objectAt(reported, 'extra'), place, this.findings);
    const meta = chatMeta(line, reported, this.#names);
    const draft: ChatDraft = {
      externalId: id,
      parentExternalId: parent,
      message: content.length === 0 ? null : { role: chatRole(line), content },
      records: 0,
      place,
    };
    if (createdAt !== undefined) draft.createdAt = createdAt;
    if (Object.keys(meta).length > 0) draft.meta = meta;
    this.#nodes.set(id, draft);
    return draft;
  }

  /** Stores a line with the node that shows it. A copy in another file is counted, and stored only if it differs. */
  #keep(draft: ChatDraft, line: JsonObject, reported: JsonObject, number: number, file: OpenFile): void {
    draft.records = (draft.records ?? 0) + 1;
    const link = getFilledText(objectAt(reported, 'extra'), 'bookmark_link');
    if (link !== undefined) draft.bookmark ??= link;
    if (draft.record === undefined) {
      draft.record = line;
      return;
    }
    file.merged++;
    if (canonicalJson(draft.record) !== canonicalJson(line)) file.lines.push([number, line]);
  }
}
