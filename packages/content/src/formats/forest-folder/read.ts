// Forest wrote its files without syncing to disk, so any file may be incomplete, outdated or missing. Parent ids are
// trusted; child lists only determine the order.
import type { Json, JsonObject, NodeMeta } from '@coppice/core';
import type { ImportedNode, ImportedTree, ReadEvent, ReadOptions } from '../contract.ts';
import { decodeUtf8 } from '../decode.ts';
import { checkTime, getFilledText, getTexts, isJsonObject, objectAt, parseIsoTime, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { parseForeignJson } from '../foreign-json.ts';
import { type ImportInput, type InputFile, readAllBytes } from '../input.ts';
import { type ForestConfig, readForestConfig } from './config.ts';

/** Whether a value is an entry of `roots.json`. */
export function isForestRoot(value: JsonObject): boolean {
  return typeof value.id === 'string' && Array.isArray(value.child_ids) && !('message' in value);
}

/** Whether a value is the record of a node. */
export function isForestNode(value: JsonObject): boolean {
  return typeof value.root_id === 'string' && isJsonObject(value.message);
}

interface FolderPlace {
  readonly file: InputFile;
  /** The folder that contains `roots.json`. */
  readonly data: string;
}

interface Known {
  readonly record: JsonObject;
  readonly place: string;
  used: boolean;
}

/** The roots and settings of one data folder. */
interface DataFolder {
  readonly roots: Map<string, Known>;
  config: ForestConfig;
  /** Titles of bookmarks by node id, until the node is read. */
  readonly bookmarks: Map<string, string>;
}

const pausesEvery = 200;
const nodeFile = /^(|.*\/)nodes\/[^/]+\.json$/i;

function folderOfPath(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

/** Returns the data folder of a node file, which is two levels up if the path contains the folder of its root. */
function dataOfFile(name: string): string {
  const [, root = ''] = nodeFile.exec(name) ?? [];
  return root === '' ? '' : folderOfPath(root.slice(0, -1));
}

/** Sorts numerically: `node-10` after `node-9`. */
function sortedNodes(a: string, b: string): number {
  const number = (name: string) => Number(/(\d+)\.json$/i.exec(name)?.[1] ?? 0);
  return number(a) - number(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function forestMeta(metadata: JsonObject): NodeMeta {
  const title = getFilledText(metadata, 'title');
  const autoTitle = getFilledText(metadata, 'auto_title');
  const tags = getTexts(metadata, 'tags');
  return {
    ...(isJsonObject(metadata.source_info) ? { source: metadata.source_info } : {}),
    ...(title === undefined ? {} : { title }),
    ...(autoTitle === undefined ? {} : { autoTitle }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(isJsonObject(metadata.custom_data) ? { customData: metadata.custom_data } : {}),
  };
}

/** Collects the nodes of one root and builds their tree. */
class FolderContents {
  readonly nodes: ImportedNode[] = [];
  readonly findings: ImportFinding[] = [];
  readonly order = new Map<string, readonly string[]>();
  readonly place: string;
  readonly #rootId: string;

  constructor(rootId: string, place: string) {
    this.#rootId = rootId;
    this.place = place;
  }

  add(record: JsonObject, found: readonly ImportFinding[], place: string, bookmarks: Map<string, string>): void {
    for (const one of found) this.findings.push(one);
    const base = place.slice(place.lastIndexOf('/') + 1).replace(/\.json$/i, '');
    const externalId = getFilledText(record, 'id') ?? `${this.#rootId}/${base}`;
    const metadata = objectAt(record, 'metadata');
    const createdAt = parseIsoTime(metadata.timestamp);
    for (const one of checkTime(metadata.timestamp, createdAt, place)) this.findings.push(one);
    const parent = getFilledText(record, 'parent_id');
    if (Array.isArray(record.child_ids)) this.order.set(externalId, getTexts(record, 'child_ids'));
    const meta = forestMeta(metadata);
    const bookmark = bookmarks.get(externalId);
    bookmarks.delete(externalId);
    this.nodes.push({
      externalId,
      parentExternalId: parent === undefined || parent === this.#rootId ? null : parent,
      message: record.message ?? null,
      record,
      place,
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
      ...(bookmark === undefined ? {} : { bookmark }),
    });
  }

  tree(folder: DataFolder, data: string, scope: string | undefined): ImportedTree {
    const root = folder.roots.get(this.#rootId);
    if (root === undefined)
      this.findings.push(
        buildFinding('import/inferred', 'repair', this.place, buildFindingDetail('not-in-roots', this.#rootId)),
      );
    else {
      root.used = true;
      if (Array.isArray(root.record.child_ids)) this.order.set('', getTexts(root.record, 'child_ids'));
    }
    const record = root?.record ?? {};
    const created = getFilledText(record, 'createdAt');
    const createdAt = parseIsoTime(created);
    if (root !== undefined)
      for (const one of checkTime(record.createdAt, createdAt, root.place)) this.findings.push(one);
    const systemPrompt = getFilledText(objectAt(record, 'config'), 'systemPrompt');
    const { currentNodeId } = folder.config;
    const here = currentNodeId !== undefined && `${currentNodeId}/`.startsWith(`${this.#rootId}/`);
    return {
      externalId: this.#rootId,
      // Ids are counters of one store. The creation time of the root distinguishes it from other stores.
      scope: `${scope ?? ''}${created ?? data}`,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(record.deleted === true ? { trashed: true } : {}),
      nodes: this.nodes,
      childOrder: this.order,
      ...(here ? { activeExternalId: currentNodeId === this.#rootId ? null : currentNodeId } : {}),
      record,
      ownRecords: root === undefined ? 0 : 1,
      place: this.place,
      findings: this.findings,
    };
  }
}

class Folders {
  readonly #all = new Map<string, DataFolder>();

  at(data: string): DataFolder {
    const known = this.#all.get(data);
    if (known !== undefined) return known;
    const made: DataFolder = {
      roots: new Map(),
      config: { currentNodeId: undefined, bookmarks: [] },
      bookmarks: new Map(),
    };
    this.#all.set(data, made);
    return made;
  }

  entries(): Iterable<[string, DataFolder]> {
    return this.#all;
  }
}

async function* readRoots(file: InputFile, folder: DataFolder): AsyncGenerator<ReadEvent> {
  const { value, findings } = parseForeignJson(await readAllBytes(file), file.name);
  for (const one of findings) yield { type: 'finding', finding: one };
  if (value === undefined) return;
  const list: readonly Json[] = Array.isArray(value) ? value : [value];
  for (const [index, record] of list.entries()) {
    const place = `${file.name}[${index}]`;
    const id = isJsonObject(record) ? getFilledText(record, 'id') : undefined;
    if (!isJsonObject(record) || id === undefined)
      yield {
        type: 'finding',
        finding: buildFinding('import/record-unreadable', 'loss', place, buildFindingDetail('no-root'), 1),
      };
    else if (folder.roots.has(id))
      yield {
        type: 'finding',
        finding: buildFinding('import/duplicate', 'loss', place, buildFindingDetail('root', id), 1),
      };
    else folder.roots.set(id, { record, place, used: false });
  }
}

/** Yields the trees of one folder of nodes: one tree, unless the folder contains files of another root. */
async function* readForestFolder(
  places: readonly FolderPlace[],
  folders: Folders,
  scope: string | undefined,
): AsyncGenerator<ReadEvent> {
  const byRoot = new Map<string, FolderContents>();
  const [first] = places;
  if (first === undefined) return;
  const folder = folders.at(first.data);
  for (const [index, { file }] of places.entries()) {
    if (index % pausesEvery === 0) yield { type: 'pause' };
    const { value, findings } = parseForeignJson(await readAllBytes(file), file.name);
    if (value === undefined) {
      for (const one of findings) yield { type: 'finding', finding: one };
      continue;
    }
    const rootId = isJsonObject(value) ? textAt(value, 'root_id') : undefined;
    if (!isJsonObject(value) || rootId === undefined) {
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'loss', file.name, buildFindingDetail('not-a-node'), 1),
      };
      continue;
    }
    const gathered =
      byRoot.get(rootId) ?? new FolderContents(rootId, folderOfPath(file.name).replace(/\/$/, '') || file.name);
    byRoot.set(rootId, gathered);
    gathered.add(value, findings, file.name, folder.bookmarks);
  }
  for (const gathered of byRoot.values()) yield { type: 'tree', tree: gathered.tree(folder, first.data, scope) };
}

function takeConfig(text: string, folder: DataFolder): void {
  folder.config = readForestConfig(text);
  for (const { nodeId, title } of folder.config.bookmarks)
    if (!folder.bookmarks.has(nodeId)) folder.bookmarks.set(nodeId, title);
}

/** Reads data folders: first the roots, then the nodes, one tree at a time. */
export async function* read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const folders = new Folders();
  const groups = new Map<string, FolderPlace[]>();
  for (const file of input.files) {
    const base = file.name.slice(file.name.lastIndexOf('/') + 1);
    const data = folderOfPath(file.name);
    if (base === 'roots.json') yield* readRoots(file, folders.at(data));
    else if (base === 'config.toml') takeConfig(decodeUtf8(await readAllBytes(file)).text, folders.at(data));
    else if (
      nodeFile.test(file.name) ||
      (/\.json$/i.test(base) && (input.files.length === 1 || /^node-\d/.test(base)))
    ) {
      const group = groups.get(data);
      const place = { file, data: dataOfFile(file.name) };
      if (group === undefined) groups.set(data, [place]);
      else group.push(place);
    } else yield { type: 'finding', finding: buildFinding('import/skipped', 'note', file.name) };
  }
  for (const name of [...groups.keys()].sort()) {
    const group = groups.get(name) ?? [];
    yield* readForestFolder(
      group.sort((a, b) => sortedNodes(a.file.name, b.file.name)),
      folders,
      options.scope,
    );
  }
  for (const [data, folder] of folders.entries()) {
    for (const [nodeId, title] of folder.bookmarks) {
      const detail = buildFindingDetail('bookmark', JSON.stringify(title), JSON.stringify(nodeId));
      yield { type: 'finding', finding: buildFinding('import/pointer-missing', 'loss', `${data}config.toml`, detail) };
    }
    for (const [rootId, { used, place }] of folder.roots)
      if (!used) yield { type: 'tree', tree: new FolderContents(rootId, place).tree(folder, data, options.scope) };
  }
}
