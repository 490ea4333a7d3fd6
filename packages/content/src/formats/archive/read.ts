import {
  type Json,
  type JsonObject,
  type NodeKind,
  type NodeStatus,
  nodeId,
  nodeKinds,
  nodeStatuses,
} from '@coppice/core';
import { fromBase64, isBase64 } from '../../base64.ts';
import { sha256Hex } from '../../sha256.ts';
import { joinBytes } from '../bytes.ts';
import type { ImportedBlob, ImportedMarker, ImportedNode, ImportedTree, ReadEvent } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { decodeUtf8 } from '../decode.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding, refuseImport } from '../findings.ts';
import { parseForeignJson } from '../foreign-json.ts';
import type { ImportInput, InputFile, InputSample } from '../input.ts';
import { splitLines } from '../lines.ts';
import { readTreeAttributes } from '../tree-attributes.ts';
import { archiveVersion, LineChecksum } from './lines.ts';

/** Returns 1 if a file begins with the head line of an archive, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some(({ json }) => isJsonObject(json) && json.type === 'archive' && json.format === 'coppice')
    ? 1
    : 0;
}

function isKind(value: string | undefined): value is Exclude<NodeKind, 'root'> {
  return value !== 'root' && nodeKinds.some((kind) => kind === value);
}

function isStatus(value: string | undefined): value is NodeStatus {
  return nodeStatuses.some((status) => status === value);
}

function archivedMarker(marker: JsonObject): ImportedMarker {
  const firstKept = getFilledText(marker, 'firstKept');
  const from = getFilledText(marker, 'from');
  const tokensBefore = numberAt(marker, 'tokensBefore');
  return {
    ...(firstKept === undefined ? {} : { firstKept }),
    ...(from === undefined ? {} : { from }),
    ...(tokensBefore === undefined ? {} : { tokensBefore }),
    ...(isJsonObject(marker.details) ? { details: marker.details } : {}),
  };
}

/** A tree whose lines are still being read. */
class ArchiveDraft {
  readonly nodes: { readonly node: ImportedNode; readonly position: string; readonly parent: string }[] = [];
  readonly bookmarks = new Map<string, { title: string; createdAt: number; updatedAt: number }>();
  readonly names: NonNullable<ImportedTree['restores']>['names'][number][] = [];
  readonly findings: ImportFinding[] = [];
  readonly sum = new LineChecksum();
  readonly row: JsonObject;
  readonly place: string;

  constructor(row: JsonObject, place: string) {
    this.row = row;
    this.place = place;
  }

  get id(): string {
    return getFilledText(this.row, 'id') ?? '';
  }

  addNode(line: JsonObject, place: string): void {
    const id = getFilledText(line, 'id');
    if (id === undefined) {
      this.findings.push(
        buildFinding('import/record-unreadable', 'loss', place, buildFindingDetail('node-without-id'), 1),
      );
      return;
    }
    const rootId = getFilledText(this.row, 'rootId');
    const parent = getFilledText(line, 'parentId');
    const kind = textAt(line, 'kind');
    const status = textAt(line, 'status');
    const group = numberAt(line, 'groupId') ?? 0;
    const createdAt = numberAt(line, 'createdAt');
    const sequence = numberAt(line, 'seq');
    const node: ImportedNode = {
      externalId: id,
      parentExternalId: parent === rootId ? null : (parent ?? null),
      message: line.message ?? null,
      meta: objectAt(line, 'meta'),
      place,
      ...(isKind(kind) ? { kind } : {}),
      ...(isStatus(status) ? { status } : {}),
      ...(group > 0 ? { group: `${group}` } : {}),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(sequence === undefined ? {} : { sequence }),
      ...(line.removed === true ? { removed: true } : {}),
      ...(isJsonObject(line.marker) ? { marker: archivedMarker(line.marker) } : {}),
    };
    this.nodes.push({ node, position: textAt(line, 'position') ?? '', parent: node.parentExternalId ?? '' });
  }

  add(line: JsonObject, place: string): void {
    if (line.type === 'node') this.addNode(line, place);
    else if (line.type === 'bookmark') {
      const on = getFilledText(line, 'nodeId');
      const title = textAt(line, 'title');
      const createdAt = numberAt(line, 'createdAt') ?? 0;
      if (on !== undefined && title !== undefined)
        this.bookmarks.set(on, { title, createdAt, updatedAt: numberAt(line, 'updatedAt') ?? createdAt });
    } else if (line.type === 'names') {
      for (const name of listAt(line, 'names')) this.addName(name);
    } else
      this.findings.push(
        buildFinding(
          'import/unknown-type',
          'loss',
          place,
          textAt(line, 'type') ?? buildFindingDetail('line-without-type'),
          1,
        ),
      );
  }

  addName(name: Json): void {
    if (!isJsonObject(name)) return;
    const format = getFilledText(name, 'format');
    const id = textAt(name, 'id');
    const on = getFilledText(name, 'nodeId');
    const node = on === undefined ? null : nodeId(on);
    if (format !== undefined && id !== undefined)
      this.names.push({ nodeId: node, format, scope: textAt(name, 'scope') ?? '', id });
  }

  tree(): ImportedTree {
    const { row, place } = this;
    // Attributes that only planners write are not imported.
    const { trashedAt, forestKey: _, copiedFrom: __, ...attributes } = objectAt(row, 'attributes');
    const { kept, findings } = readTreeAttributes(attributes, place);
    const families = new Map<string, { readonly id: string; readonly position: string }[]>();
    const nodes = this.nodes.map(({ node, position, parent }) => {
      const family = families.get(parent);
      const child = { id: node.externalId, position };
      if (family === undefined) families.set(parent, [child]);
      else family.push(child);
      const bookmark = this.bookmarks.get(node.externalId);
      return bookmark === undefined ? node : { ...node, bookmark };
    });
    const childOrder = new Map<string, string[]>();
    for (const [parent, family] of families)
      childOrder.set(
        parent,
        family.sort((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0)).map(({ id }) => id),
      );
    const active = getFilledText(row, 'activeNodeId');
    const createdAt = numberAt(row, 'createdAt');
    const updatedAt = numberAt(row, 'updatedAt');
    const title = textAt(attributes, 'title');
    return {
      externalId: this.id,
      scope: '',
      ...(title === undefined ? {} : { title }),
      attributes: kept,
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(updatedAt === undefined ? {} : { updatedAt }),
      nodes,
      childOrder,
      activeExternalId: active ?? null,
      ...(trashedAt === undefined ? {} : { trashed: true }),
      restores: { rootId: getFilledText(row, 'rootId') ?? '', names: this.names },
      ownRecords: 1,
      place,
      findings: [...this.findings, ...findings],
    };
  }
}

/** Collects the bytes of one attachment from its lines. */
class BlobDraft {
  #hash = '';
  #parts: Uint8Array[] = [];

  /** Adds a line. Returns the attachment after its last line, or a finding if its bytes do not match its hash. */
  add(line: JsonObject, place: string): { readonly blob?: ImportedBlob; readonly finding?: ImportFinding } {
    const hash = getFilledText(line, 'hash') ?? '';
    const data = textAt(line, 'data') ?? '';
    const part = numberAt(line, 'part') ?? 0;
    const parts = numberAt(line, 'parts') ?? 1;
    if (hash !== this.#hash || part === 0) {
      this.#hash = hash;
      this.#parts = [];
    }
    if (!isBase64(data) || part !== this.#parts.length)
      return {
        finding: buildFinding('import/checksum', 'loss', place, buildFindingDetail('attachment', hash.slice(0, 12))),
      };
    this.#parts.push(fromBase64(data));
    if (this.#parts.length < parts) return {};
    const bytes = joinBytes(this.#parts);
    this.#parts = [];
    if (sha256Hex(bytes) !== hash)
      return {
        finding: buildFinding('import/checksum', 'loss', place, buildFindingDetail('attachment', hash.slice(0, 12))),
      };
    const mediaType = getFilledText(line, 'mediaType') ?? 'application/octet-stream';
    return { blob: { hash, size: bytes.length, mediaType, read: async () => bytes } };
  }
}

function checkHead(line: JsonObject, place: string): void {
  const { version } = line;
  if (typeof version === 'number' && version > archiveVersion)
    refuseImport('import/newer', `${place} is an archive of version ${version}; this build reads ${archiveVersion}.`, {
      version,
    });
}

async function* readArchiveFile(file: InputFile): AsyncGenerator<ReadEvent> {
  const whole = new LineChecksum();
  const blobs = new BlobDraft();
  let draft: ArchiveDraft | undefined;
  let ended = false;
  let trees = 0;
  for await (const { bytes, number } of splitLines(file.stream())) {
    const place = `${file.name}:${number}`;
    const { value, findings } = parseForeignJson(bytes, place);
    if (!isJsonObject(value)) {
      yield {
        type: 'finding',
        finding: buildFinding(
          'import/bad-line',
          'loss',
          place,
          findings[0]?.message ?? buildFindingDetail('not-an-object'),
          1,
        ),
      };
      continue;
    }
    const text = `${decodeUtf8(bytes).text}\n`;
    if (value.type === 'archive') checkHead(value, place);
    else if (value.type === 'blob') {
      const { blob, finding: found } = blobs.add(value, place);
      if (blob !== undefined) yield { type: 'blob', blob };
      if (found !== undefined) yield { type: 'finding', finding: found };
    } else if (value.type === 'tree') {
      if (draft !== undefined) yield { type: 'tree', tree: truncatedArchive(draft) };
      draft = new ArchiveDraft(value, place);
      draft.sum.add(text);
    } else if (value.type === 'end' && 'trees' in value) {
      ended = true;
      if (value.sum !== whole.value || value.trees !== trees)
        yield {
          type: 'finding',
          finding: buildFinding('import/checksum', 'repair', place, buildFindingDetail('archive')),
        };
    } else if (draft === undefined) {
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'loss', place, buildFindingDetail('outside-trees'), 1),
      };
    } else if (value.type === 'end') {
      whole.add(text);
      trees++;
      if (value.sum !== draft.sum.value || value.tree !== draft.id)
        draft.findings.push(buildFinding('import/checksum', 'repair', draft.place, buildFindingDetail('conversation')));
      yield { type: 'tree', tree: draft.tree() };
      draft = undefined;
    } else {
      draft.sum.add(text);
      draft.add(value, place);
    }
  }
  if (draft !== undefined) yield { type: 'tree', tree: truncatedArchive(draft) };
  if (!ended)
    yield {
      type: 'finding',
      finding: buildFinding('import/checksum', 'repair', file.name, buildFindingDetail('archive-incomplete')),
    };
}

function truncatedArchive(draft: ArchiveDraft): ImportedTree {
  draft.findings.push(
    buildFinding('import/checksum', 'repair', draft.place, buildFindingDetail('conversation-incomplete')),
  );
  return draft.tree();
}

/** Reads archives. A tree with a wrong checksum is read as far as possible and reported. A newer version is refused. */
export function read(input: ImportInput): AsyncGenerator<ReadEvent> {
  return readProgramFiles(input, (sample) => detect({ files: [sample] }) > 0, readArchiveFile);
}
