// Texts have no roles in Loom. Text that a model wrote, in whole or in part, becomes the assistant's; all other text
// becomes the user's. The text of a path is the concatenation of its nodes, so no text is trimmed.
import type { Json, JsonObject, NodeMeta } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import type { ImportedNode, ImportedTree, ReadEvent, ReadOptions } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { checkTime, getFilledText, getTexts, isJsonObject, numberAt, objectAt, omitKeys, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { parseForeignJson } from '../foreign-json.ts';
import { type ImportInput, type InputFile, readAllBytes } from '../input.ts';
import { isStorableRecord } from '../original-record.ts';
import { detectLoomFile } from './detect.ts';
import { exoloomToTree, isExoloom } from './exoloom.ts';
import { type FlatNode, flattenLoomNodes } from './walk.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Parses `2026-01-02-03.04.05`; the time zone is unknown, so it is read as UTC. */
function stampTime(value: Json | undefined): number | undefined {
  const found = typeof value === 'string' ? /^(\d{4})-(\d\d)-(\d\d)-(\d\d)\.(\d\d)\.(\d\d)$/.exec(value) : null;
  if (found === null) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Derives the title of a bookmark from its text, because Loom has no bookmark titles. */
function loomBookmark(text: string): string {
  const words = text.trim().replaceAll(/\s+/g, ' ');
  const most = 60;
  // Splits by characters, so that no surrogate pair is cut.
  return words === '' ? 'bookmark' : [...words.slice(0, most * 2)].slice(0, most).join('');
}

/** The fields of a document besides its nodes, and which model responses nodes refer to. */
class LoomMetadata {
  readonly #responses: JsonObject;
  readonly #titles = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly findings: ImportFinding[] = [];

  constructor(document: JsonObject) {
    this.#responses = objectAt(document, 'model_responses');
    for (const chapter of Object.values(objectAt(document, 'chapters'))) {
      if (!isJsonObject(chapter)) continue;
      const root = getFilledText(chapter, 'root_id');
      const title = getFilledText(chapter, 'title');
      if (root !== undefined && title !== undefined) this.#titles.set(root, title);
    }
  }

  node({ id, parent, record, place }: FlatNode): ImportedNode {
    const text = textAt(record, 'text') ?? '';
    const reported = objectAt(record, 'meta');
    const createdAt = stampTime(reported.creation_timestamp);
    for (const one of checkTime(reported.creation_timestamp, createdAt, place)) this.findings.push(one);
    const generation = objectAt(record, 'generation');
    const generated = getFilledText(generation, 'id');
    const response = generated === undefined ? undefined : this.#response(generated, place);
    const byModel = generated !== undefined || reported.source === 'AI' || reported.source === 'mixed';
    const tags = getTexts(record, 'tags');
    const title = this.#titles.get(textAt(record, 'id') ?? '');
    const source = byModel ? loomModel(response, numberAt(generation, 'index')) : { type: 'user' };
    const meta: NodeMeta = {
      ...(source === undefined ? {} : { source }),
      ...(title === undefined ? {} : { title }),
      ...(tags.length === 0 ? {} : { tags }),
    };
    const marked = tags.includes('bookmark') || record.bookmark === true;
    // A response is stored only once, with the first text that came from it.
    const first = generated !== undefined && response !== undefined && !this.#taken.has(generated);
    if (first) this.#taken.add(generated);
    return {
      externalId: id,
      parentExternalId: parent,
      message: text === '' ? null : { role: byModel ? 'assistant' : 'user', content: [{ type: 'text', text }] },
      record: first ? { ...record, $response: response } : record,
      place,
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(marked ? { bookmark: loomBookmark(text) } : {}),
    };
  }

  /** Returns the model responses to which no node refers. */
  unused(): JsonObject {
    return Object.fromEntries(Object.entries(this.#responses).filter(([id]) => !this.#taken.has(id)));
  }

  #response(id: string, place: string): JsonObject | undefined {
    const found = Object.hasOwn(this.#responses, id) ? this.#responses[id] : undefined;
    if (isJsonObject(found)) return found;
    this.findings.push(
      buildFinding('import/pointer-missing', 'note', place, buildFindingDetail('generation', id.slice(0, 80))),
    );
    return undefined;
  }
}

function loomModel(response: JsonObject | undefined, index: number | undefined): JsonObject | undefined {
  if (response === undefined) return undefined;
  const completions = Array.isArray(response.completions) ? response.completions : [];
  const completion = completions[index ?? 0];
  const reason = isJsonObject(completion) ? getFilledText(completion, 'finishReason') : undefined;
  return {
    type: 'model',
    model_name: getFilledText(response, 'model') ?? 'unknown',
    ...(reason === undefined ? {} : { finish_reason: reason }),
  };
}

const loomBase = (name: string) => name.slice(name.lastIndexOf('/') + 1).replace(/\.[A-Za-z0-9]+$/, '');

/** Converts a document with nested nodes: a whole file, a single node, or a list of nodes. */
function nestedTree(
  value: Json,
  name: string,
  scope: string | undefined,
  found: readonly ImportFinding[],
): ImportedTree {
  const document = isJsonObject(value) && isJsonObject(value.root) ? value : {};
  const roots = Array.isArray(value) ? value : [isJsonObject(document.root) ? document.root : value];
  const walked = flattenLoomNodes(roots, name);
  const beside = new LoomMetadata(document);
  const nodes = walked.nodes.map((one) => beside.node(one));
  const unused = beside.unused();
  const rest: JsonObject = {
    ...omitKeys(document, 'root', 'model_responses'),
    ...(Object.keys(unused).length === 0 ? {} : { model_responses: unused }),
    ...(walked.folds.length === 0 ? {} : { $folds: [...walked.folds] }),
  };
  const findings = [...found, ...walked.findings, ...beside.findings];
  if (!isStorableRecord(rest)) findings.push(buildFinding('import/record-too-large', 'loss', name));
  const selected = getFilledText(document, 'selected_node_id');
  const first = walked.nodes[0]?.id ?? `sha256:${sha256Hex(canonicalJson(rest))}`;
  return {
    externalId: first,
    // Loom's own ids are globally unique. Other ids are unique only in a file with this name.
    scope: uuid.test(first) ? '' : (scope ?? loomBase(name)),
    title: loomBase(name),
    nodes,
    ...(selected === undefined ? {} : { activeExternalId: resolveNode(selected, walked.moved) }),
    record: rest,
    ownRecords: walked.folds.length,
    place: name,
    findings,
  };
}

/** Returns the id of the node that replaced a folded node; folds may be nested. */
function resolveNode(id: string, moved: ReadonlyMap<string, string>): string {
  let at = id;
  for (let steps = moved.size; steps > 0; steps--) at = moved.get(at) ?? at;
  return at;
}

/** Converts a note of Loomsidian: nodes by id, each with its parent. */
function noteToTree(path: string, note: JsonObject, name: string, scope: string | undefined): ImportedTree {
  const findings: ImportFinding[] = [];
  const nodes: ImportedNode[] = [];
  const place = `${name}.state[${JSON.stringify(path)}]`;
  for (const [id, record] of Object.entries(objectAt(note, 'nodes'))) {
    const at = `${place}.nodes.${id}`;
    if (!isJsonObject(record)) {
      findings.push(buildFinding('import/record-unreadable', 'loss', at, buildFindingDetail('not-a-node'), 1));
      continue;
    }
    const text = textAt(record, 'text') ?? '';
    nodes.push({
      externalId: id,
      parentExternalId: getFilledText(record, 'parentId') ?? null,
      message: text === '' ? null : { role: 'user', content: [{ type: 'text', text }] },
      record,
      place: at,
      ...(record.bookmarked === true ? { bookmark: loomBookmark(text) } : {}),
    });
  }
  const current = getFilledText(note, 'current');
  return {
    externalId: path,
    scope: scope ?? '',
    title: loomBase(path),
    nodes,
    ...(current === undefined ? {} : { activeExternalId: current }),
    record: omitKeys(note, 'nodes'),
    place,
    findings,
  };
}

async function* readLoomFile(file: InputFile, scope: string | undefined): AsyncGenerator<ReadEvent> {
  const { value, findings } = parseForeignJson(await readAllBytes(file), file.name);
  if (value === undefined || typeof value !== 'object' || value === null) {
    for (const one of findings) yield { type: 'finding', finding: one };
    if (value !== undefined)
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'loss', file.name, buildFindingDetail('not-a-tree'), 1),
      };
    return;
  }
  if (isJsonObject(value) && !('root' in value) && isJsonObject(value.state)) {
    for (const one of findings) yield { type: 'finding', finding: one };
    // The plugin's settings contain API keys and are not read.
    for (const [path, note] of Object.entries(value.state)) {
      if (isJsonObject(note)) yield { type: 'tree', tree: noteToTree(path, note, file.name, scope) };
      else yield { type: 'finding', finding: buildFinding('import/skipped', 'loss', file.name, path.slice(0, 80), 1) };
    }
    return;
  }
  if (isExoloom(value)) {
    const own = scope ?? loomBase(file.name);
    yield { type: 'tree', tree: exoloomToTree(value, file.name, own, findings, loomBookmark) };
    return;
  }
  const tree = nestedTree(value, file.name, scope, findings);
  if (tree.nodes.length > 0) yield { type: 'tree', tree };
  else
    for (const one of [
      ...tree.findings,
      buildFinding('import/other-format', 'loss', file.name, buildFindingDetail('no-nested-texts')),
    ])
      yield { type: 'finding', finding: one };
}

/** Reads each file as one tree, or as one per note. */
export function read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  return readProgramFiles(
    input,
    ({ json }) => detectLoomFile(json) > 0,
    async function* (file) {
      yield* readLoomFile(file, options.scope);
      yield { type: 'pause' };
    },
  );
}
