// Reads the records of a file, which is one JSON document or has one value per line.
import type { Json } from '@coppice/core';
import { runWithPauses } from './cooperative.ts';
import { buildFindingDetail } from './finding-details.ts';
import { buildFinding, type ImportFinding } from './findings.ts';
import { parseForeignJson, parseForeignJsonInPieces } from './foreign-json.ts';
import type { InputFile } from './input.ts';
import { splitLines } from './lines.ts';
import { type JsonPathPattern, type JsonPiece, JsonSplitter } from './split-json.ts';

/** One record of a file, or the remainder of the document without its records. */
export type FileRecord =
  | {
      readonly type: 'record';
      /** The index of the matching pattern; 0 for a line. */
      readonly pattern: number;
      readonly path: readonly (string | number)[];
      /** The position in the input, such as `conversations.json[3]` or `session.jsonl:12`. */
      readonly place: string;
      readonly value: Json;
      readonly bytes: number;
      readonly findings: readonly ImportFinding[];
    }
  /** The document without its records. It comes last, and only for documents. */
  | { readonly type: 'rest'; readonly value: Json | undefined; readonly place: string }
  | { readonly type: 'finding'; readonly finding: ImportFinding };

function recordPath(file: string, path: readonly (string | number)[]): string {
  let place = file;
  for (const key of path) place += typeof key === 'number' ? `[${key}]` : `.${key}`;
  return place;
}

// Smaller records are parsed at once, because parsing them is faster than a pause.
const large = 256 * 1024;

/** Parses a piece, and returns its record or a finding. */
async function recordsOfValue(file: InputFile, piece: JsonPiece | undefined): Promise<readonly FileRecord[]> {
  if (piece === undefined) return [];
  const { bytes, path, pattern, members } = piece;
  const place = recordPath(file.name, path);
  const { value, findings } =
    bytes.length < large
      ? parseForeignJson(bytes, place, members)
      : await runWithPauses(parseForeignJsonInPieces(bytes, place, members), file.rest);
  if (value === undefined) return findings.map((found) => ({ type: 'finding', finding: found }));
  return [{ type: 'record', pattern, path, place, value, bytes: bytes.length, findings }];
}

/** Yields the records of a JSON document that match the patterns, one at a time. */
export async function* readDocumentRecords(
  file: InputFile,
  patterns: readonly JsonPathPattern[],
): AsyncGenerator<FileRecord> {
  const splitter = new JsonSplitter(patterns);
  const { name } = file;
  const read = async function* (pieces: JsonPiece[]): AsyncGenerator<FileRecord> {
    // The pieces are removed from the list one by one, so that the bytes of a record are not kept while it is stored.
    pieces.reverse();
    while (pieces.length > 0) yield* await recordsOfValue(file, pieces.pop());
  };
  for await (const chunk of file.stream()) yield* read(splitter.push(chunk));
  const { pieces, remainder } = splitter.end();
  yield* read(pieces);
  if (!remainder.complete)
    yield {
      type: 'finding',
      finding: buildFinding('import/record-unreadable', 'loss', name, buildFindingDetail('file-incomplete'), 1),
    };
  if (remainder.trailing)
    yield {
      type: 'finding',
      finding: buildFinding('import/skipped', 'loss', name, buildFindingDetail('trailing-content')),
    };
  if (!remainder.complete || remainder.trailing) {
    yield { type: 'rest', value: undefined, place: name };
    return;
  }
  const { value, findings } = await runWithPauses(
    parseForeignJsonInPieces(remainder.bytes, name, remainder.members),
    file.rest,
  );
  for (const found of findings) yield { type: 'finding', finding: found };
  yield { type: 'rest', value, place: name };
}

/** Yields the records of a file with one JSON value per line. An invalid line is a finding with its number. */
export async function* readLineRecords(file: InputFile): AsyncGenerator<FileRecord> {
  for await (const { bytes, number, ended } of splitLines(file.stream())) {
    const place = `${file.name}:${number}`;
    const { value, findings } = parseForeignJson(bytes, place);
    if (value === undefined) {
      const [first] = findings;
      const detail = ended ? (first?.data.detail ?? '') : buildFindingDetail('file-incomplete-here');
      yield { type: 'finding', finding: buildFinding('import/bad-line', 'loss', place, detail, 1) };
    } else yield { type: 'record', pattern: 0, path: [number], place, value, bytes: bytes.length, findings };
  }
}
