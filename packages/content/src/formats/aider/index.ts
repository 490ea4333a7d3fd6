// The history file that aider writes for a project. It is Markdown in which each run begins with a heading, lines of
// the user are fourth-level headings, and output of the program is quoted.
import type { JsonObject } from '@coppice/core';
import { defineFormat, type ImportedTree, type ReadEvent, type ReadOptions } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { decodeUtf8 } from '../decode.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding } from '../findings.ts';
import { type InputFile, readAllBytes, type SampleFile } from '../input.ts';
import {
  buildModelSource,
  ConversationNodes,
  omitUndefinedAttributes,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

const heading = /^# aider chat started at (\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\s*$/;
const questionHeading = /^####(?: (.*))?$/;
// The program ends its own quoted lines with two spaces, unlike the model.
const notice = /^>(?: (.*))? {2}$/;
const modelLine = /^(?:Main )?[Mm]odel: (\S+)/;

const isOwn = ({ text }: Pick<SampleFile, 'text'>) => /^\s*# aider chat started at \d{4}-/.test(text);

type Speaker = 'user' | 'assistant' | 'program';

interface Passage {
  readonly speaker: Speaker;
  readonly lines: string[];
  readonly at: number;
}

/**
 * Splits the lines of a run by author. A code fence of the model may contain lines that look like lines of another
 * author.
 */
function passagesOf(lines: readonly string[], from: number): Passage[] {
  const passages: Passage[] = [];
  let fenced = false;
  for (const [index, line] of lines.entries()) {
    const question = fenced ? null : questionHeading.exec(line);
    const quoted = fenced || question !== null ? null : notice.exec(line);
    const speaker: Speaker = question !== null ? 'user' : quoted !== null ? 'program' : 'assistant';
    if (speaker === 'assistant' && /^(?:```|~~~)/.test(line)) fenced = !fenced;
    const words =
      question !== null ? (question[1] ?? '').replace(/ {1,2}$/, '') : quoted !== null ? (quoted[1] ?? '') : line;
    const last = passages.at(-1);
    if (last?.speaker === speaker) last.lines.push(words);
    // Blank lines between passages are dropped.
    else if (speaker !== 'assistant' || line.trim() !== '')
      passages.push({ speaker, lines: [words], at: from + index });
  }
  return passages;
}

function runTree(id: string, lines: readonly string[], from: number, file: string, options: ReadOptions): ImportedTree {
  const nodes = new ConversationNodes([]);
  const [, year, month, day, hour, minute, second] = (heading.exec(lines[0] ?? '') ?? []).map(Number);
  // The heading has no time zone. It is read as UTC, so that a file gives the same times on every machine.
  const createdAt =
    year === undefined ? undefined : Date.UTC(year, (month ?? 1) - 1, day ?? 1, hour ?? 0, minute ?? 0, second ?? 0);
  let model: string | undefined;
  for (const [index, { speaker, lines: said, at }] of passagesOf(lines.slice(1), from + 1).entries()) {
    const text = said.join('\n').trim();
    if (speaker === 'program') for (const line of said) model = modelLine.exec(line)?.[1] ?? model;
    const record: JsonObject = { speaker, text: said.join('\n') };
    const common = {
      id: String(index),
      parent: nodes.tip,
      items: [toBlocksItem(toTextBlocks(text))],
      place: `${file}:${at}`,
      record,
    };
    if (speaker === 'program') nodes.add({ ...common, role: 'system', kind: 'state' });
    else if (speaker === 'user') nodes.add({ ...common, role: 'user' });
    else nodes.add({ ...common, role: 'assistant', source: buildModelSource(model) });
  }
  return {
    externalId: id,
    scope: options.scope ?? file,
    ...omitUndefinedAttributes({ createdAt }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: { heading: lines[0] ?? '' },
    ownRecords: 1,
    place: `${file}:${from}`,
    findings: nodes.findings,
  };
}

async function* readFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const { text, damaged } = decodeUtf8(await readAllBytes(file));
  if (damaged) yield { type: 'finding', finding: buildFinding('import/bad-text', 'repair', file.name) };
  const lines = text.split(/\r?\n/);
  const starts = lines.flatMap((line, index) => (heading.test(line) ? [index] : []));
  const before = lines.slice(0, starts[0] ?? lines.length).some((line) => line.trim() !== '');
  if (before)
    yield {
      type: 'finding',
      finding: buildFinding('import/skipped', 'loss', file.name, buildFindingDetail('lines-before-first-run'), 1),
    };
  const seen = new Map<string, number>();
  for (const [index, start] of starts.entries()) {
    const began = (lines[start] ?? '').trim();
    const count = (seen.get(began) ?? 0) + 1;
    seen.set(began, count);
    const own = lines.slice(start, starts[index + 1] ?? lines.length);
    const tree = runTree(count === 1 ? began : `${began} (${count})`, own, start + 1, file.name, options);
    // A run without messages is not a conversation.
    if (tree.nodes.some((node) => node.kind !== 'state')) yield { type: 'tree', tree };
    else
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'note', tree.place, buildFindingDetail('no-messages')),
      };
  }
}

/** Imports the history file that aider writes beside a project. */
export const aider = defineFormat({
  name: 'aider',
  label: 'aider history',
  summary: 'The chat history that aider keeps beside a project, one conversation for each run.',
  keeps: ['models'],
  reader: {
    detect: ({ files }) => (files.some(isOwn) ? 0.95 : 0),
    read: (input, options) => readProgramFiles(input, isOwn, (file) => readFile(file, options)),
  },
});
