/**
 * Compares an open tree of our client with the in-memory trees of assistant-ui and of `@ably/ai-transport`, on the same
 * 10,000 messages. All of them get their data from a fetch that answers from memory. The time is measured until the
 * list of messages that a page draws is complete. Drawing is the same for all and is not measured.
 */
import { nodeId } from '@coppice/core';
import type { LibraryCandidate, OpenedChat } from './client/candidate.ts';
import { openCoppiceCandidate } from './client/coppice.ts';
import { openOtherLibraries } from './client/other-libraries.ts';
import { type SampleTree, sampleTrees } from './client/sample-tree.ts';
import { collectGarbage, type Measurement, median, preventOptimisation } from './measure.ts';

type Times = ReadonlyMap<string, number>;

function newId() {
  return nodeId(crypto.randomUUID());
}

/**
 * Returns the candidates in the order of a turn. Every second turn reverses the order, so that no candidate always runs
 * after the same one.
 */
function inOrder<T>(candidates: ReadonlyMap<string, T>, turn: number): readonly (readonly [string, T])[] {
  return turn % 2 === 0 ? [...candidates] : [...candidates].reverse();
}

/**
 * Returns the median wall time in microseconds until each candidate has the messages to draw. The candidates run
 * alternately.
 */
async function timeInTurns(
  chats: ReadonlyMap<string, OpenedChat>,
  turns: number,
  work: (chat: OpenedChat, turn: number, drawn: () => void) => void,
): Promise<Times> {
  const spent = new Map<string, number[]>([...chats.keys()].map((name) => [name, []]));
  const warm = turns / 4;
  collectGarbage();
  for (let turn = 0; turn < turns + warm; turn++)
    for (const [name, chat] of inOrder(chats, turn)) {
      const from = process.hrtime.bigint();
      work(chat, turn, () => {
        preventOptimisation(chat.texts());
        const time = Number(process.hrtime.bigint() - from) / 1000;
        if (turn >= warm) spent.get(name)?.push(time);
      });
      // Writes and reads that do not delay the page are not measured.
      await chat.settle();
    }
  return new Map([...spent].map(([name, times]) => [name, median(times)]));
}

/** Returns the median processor time per operation of asynchronous work. */
async function processorInTurns<T>(
  candidates: ReadonlyMap<string, T>,
  turns: number,
  operations: number,
  work: (candidate: T) => Promise<unknown>,
): Promise<Times> {
  const spent = new Map<string, number[]>([...candidates.keys()].map((name) => [name, []]));
  for (let turn = 0; turn < turns + 2; turn++)
    for (const [name, candidate] of inOrder(candidates, turn)) {
      collectGarbage();
      const from = process.cpuUsage();
      preventOptimisation(await work(candidate));
      const { user, system } = process.cpuUsage(from);
      if (turn >= 2) spent.get(name)?.push((user + system) / operations);
    }
  return new Map([...spent].map(([name, times]) => [name, median(times)]));
}

function assertShown(name: string, chat: OpenedChat, length: number, last: string): void {
  const texts = chat.texts();
  if (texts.at(-1) !== last || texts.length < length)
    throw new Error(`${name} shows ${texts.length} messages that end with ${texts.at(-1)?.slice(0, 40)}.`);
}

/** Builds the rows of one workload, relative to the fastest other library. */
function rowsOf(work: string, times: Times): Measurement[] {
  const best = Math.min(...[...times].filter(([name]) => !name.startsWith('coppice')).map(([, time]) => time));
  return [...times].map(([by, value]) => {
    const ratio = value / best;
    const row = { work, by, value, unit: 'µs' as const, ratio };
    return by === 'coppice' ? { ...row, budget: '≤ 1× the others', kept: ratio <= 1 } : row;
  });
}

async function measureSample(sample: SampleTree): Promise<readonly Measurement[]> {
  const { name: shape, messages, variants, ends } = sample;
  const ours = await openCoppiceCandidate(sample, false);
  const loaded = await openCoppiceCandidate(sample, true);
  const peers = await openOtherLibraries(sample);
  const candidates: readonly LibraryCandidate[] = [ours, loaded, ...peers];
  const textOf = new Map(messages.map(({ id, text }) => [id, text]));
  const lastOf = (index: number) => textOf.get(ends[index] ?? nodeId('')) ?? '';
  const measures: Measurement[] = [];

  const opening = new Map([ours, ...peers].map((candidate) => [candidate.name, candidate]));
  const opened = await processorInTurns(opening, 6, 1, async (candidate) => {
    const chat = await candidate.open();
    assertShown(candidate.name, chat, 33, lastOf(0));
    chat.close();
  });
  measures.push(...rowsOf(`first render, ${shape}`, opened));

  const chats = new Map<string, OpenedChat>();
  for (const candidate of candidates) chats.set(candidate.name, await candidate.open());
  const [one, two] = variants;
  if (one === undefined || two === undefined) throw new Error('There are no variants.');
  // Every candidate has shown both variants before, so no first read is measured.
  for (const variant of [two, one])
    for (const chat of chats.values()) {
      chat.show(variant, () => undefined);
      await chat.settle();
    }
  const switched = await timeInTurns(chats, 200, (chat, turn, drawn) => chat.show(turn % 2 === 0 ? two : one, drawn));
  for (const [name, chat] of chats) assertShown(name, chat, 33, lastOf(0));
  measures.push(...rowsOf(`switch of a variant, ${shape}`, switched));

  const pieces = Array.from({ length: 500 }, (_, index) => ` piece ${index} of the reply`);
  const events = new Map(candidates.map((candidate) => [candidate.name, candidate.events(pieces)]));
  const streams = new Map([...chats].map(([name, chat]) => [name, { chat, events: events.get(name) ?? [] }]));
  const { length } = pieces.join('');
  const streamed = await processorInTurns(streams, 10, pieces.length, ({ chat, events: bytes }) =>
    chat.stream(bytes, length),
  );
  measures.push(...rowsOf(`a piece of a reply that streams, ${shape}`, streamed));

  let said = 0;
  const appended = await timeInTurns(chats, 60, (chat, _turn, drawn) => chat.append(newId(), `said ${++said}`, drawn));
  measures.push(...rowsOf(`append of a message, ${shape}`, appended));
  for (const chat of chats.values()) chat.close();
  for (const candidate of candidates) await candidate.close();
  return measures;
}

/** Measures all workloads on all sampleTrees. */
export async function benchClient(): Promise<readonly Measurement[]> {
  const measures: Measurement[] = [];
  for (const sample of sampleTrees) measures.push(...(await measureSample(sample)));
  return measures;
}
