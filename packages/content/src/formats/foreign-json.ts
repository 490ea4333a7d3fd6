// Parses foreign records. JSON.parse hides three problems: duplicate keys, numbers beyond the range of a double, and
// integers with too many digits. All three are reported, but none rejects a conversation.
import type { Json } from '@coppice/core';
import { clampNumbers } from '../finite-json.ts';
import { parseJson } from '../json-text.ts';
import { type CooperativeTask, runWithoutPauses } from './cooperative.ts';
import { decodeUtf8 } from './decode.ts';
import { buildFinding, type ImportFinding } from './findings.ts';

/** A parsed record, and the problems that parsing found. */
export interface ParsedForeignJson {
  /** The parsed value; undefined if the text is not JSON. */
  readonly value: Json | undefined;
  readonly findings: readonly ImportFinding[];
}

interface JsonSurvey {
  members: number;
  rounded: boolean;
}

const valuesPerPause = 5_000;

/** Counts the members of a value, and checks whether a number may have lost digits. */
function* surveyJson(value: Json): CooperativeTask<JsonSurvey> {
  const found: JsonSurvey = { members: 0, rounded: false };
  const stack: Json[] = [value];
  let visited = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (++visited % valuesPerPause === 0) yield;
    if (typeof next === 'number') {
      if (!Number.isFinite(next) || (Number.isInteger(next) && !Number.isSafeInteger(next))) found.rounded = true;
    } else if (Array.isArray(next)) {
      for (const item of next) if (typeof item !== 'string') stack.push(item);
    } else if (typeof next === 'object' && next !== null) {
      for (const item of Object.values(next)) {
        found.members++;
        if (typeof item !== 'string') stack.push(item);
      }
    }
  }
  return found;
}

/** Counts the members of objects in a JSON text: colons outside strings. */
function membersOf(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x3a) count++;
    else if (byte === 0x22) for (at++; at < bytes.length && bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++;
  }
  return count;
}

/** Parses one record. Pass `members` if the count is known, to save a scan. */
export function parseForeignJson(bytes: Uint8Array, place: string, members?: number): ParsedForeignJson {
  return runWithoutPauses(parseForeignJsonInPieces(bytes, place, members));
}

/** Like {@link parseForeignJson}, but yields to other work; JSON.parse itself is one step. */
export function* parseForeignJsonInPieces(
  bytes: Uint8Array,
  place: string,
  members?: number,
): CooperativeTask<ParsedForeignJson> {
  // Yields to other work, because joining the bytes of a large record took time.
  yield;
  const { text, damaged } = decodeUtf8(bytes);
  yield;
  const findings: ImportFinding[] = [];
  if (damaged) findings.push(buildFinding('import/bad-text', 'repair', place));
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.slice(0, 160) : '';
    return { value: undefined, findings: [buildFinding('import/record-unreadable', 'loss', place, why, 1)] };
  }
  yield;
  const seen = yield* surveyJson(value);
  if (seen.members !== (members ?? membersOf(bytes)))
    findings.push(buildFinding('import/duplicate-key', 'loss', place, strictProblemOf(text, place)));
  if (seen.rounded) {
    const detail = strictProblemOf(text, place);
    // Numbers without lost digits, such as 1e21, are not reported.
    if (detail !== '') {
      findings.push(buildFinding('import/number-rounded', 'loss', place, detail));
      value = clampNumbers(value);
    }
  }
  return { value, findings };
}

/** Returns the error message of the strict parser about a duplicate key or a number, as the detail of a finding. */
function strictProblemOf(text: string, place: string): string {
  const strict = parseJson(text, place, 1_000_000);
  return strict.ok ? '' : strict.refusal.message.replace(`${place} `, '').replace(/\.$/, '');
}
