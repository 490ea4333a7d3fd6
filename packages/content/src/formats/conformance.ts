/** Tests the requirements for every format. The test of each format calls it with its own fixtures. */
import { isAppError, type Json, type Message, run, textMessage } from '@coppice/core';
import { createTestClock } from '@coppice/core/testing';
import { checkTree } from '@coppice/core/tree';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../canonical-json.ts';
import { messageKit } from '../kit.ts';
import { collectObjectsById } from './conformance/collect-objects-by-id.ts';
import { arbitraryFileDamage, damageBytes } from './conformance/damage.ts';
import { listFeaturesOfTrees } from './conformance/features-of-trees.ts';
import { buildRichTree, findSilentLosses, findUnshownFacts } from './conformance/silent-losses.ts';
import {
  encodeFixtureFile,
  exportStoredTrees,
  type FixtureFiles,
  importIntoStore,
  readStoredTree,
  type StoredImport,
  toImportInput,
} from './conformance/storing.ts';
import type { Format } from './contract.ts';
import { decodeUtf8 } from './decode.ts';
import { readExportedTree } from './exporting.ts';
import type { ImportFinding } from './findings.ts';
import { formats } from './formats.ts';
import { openInput, readSample } from './input.ts';
import { guessFormats } from './read.ts';
import type { RepairedTree } from './repair.ts';

export {
  exportStoredTrees,
  type FixtureFiles,
  importIntoStore,
  readStoredTree,
  type StoredImport,
  toImportInput,
} from './conformance/storing.ts';

/** A hand-made file, or set of files, and what its import must give. */
export interface FormatFixture {
  readonly name: string;
  readonly files: FixtureFiles;
  /** The expected number of conversations and nodes. */
  readonly trees: number;
  readonly nodes: number;
  /** The codes of all expected findings except notes. An empty list means that nothing is reported. */
  readonly findings: readonly ImportFinding['code'][];
  /** The texts of the active branch of the first conversation. */
  readonly thread?: readonly string[];
  /**
   * Whether the input is written back as the same data. A function may normalise both sides; it removes only
   * differences that the format declares. False for read-only formats.
   */
  readonly roundTrip?: boolean | ((files: ReadonlyMap<string, string>) => unknown);
  /** A later export of the same conversations, with one more message in the first one. */
  readonly newer?: FixtureFiles;
  /** Whether the format is detected by content; false if it must be named. */
  readonly detected?: boolean;
}

function textsOf(files: FixtureFiles): ReadonlyMap<string, string> {
  return new Map(Object.entries(files).map(([name, file]) => [name, decodeUtf8(encodeFixtureFile(file)).text]));
}

/** Parses each file as a JSON document, or else as JSON lines. File names are not compared. */
function dataOf(files: ReadonlyMap<string, string>): Json[] {
  const data: Json[] = [];
  for (const text of files.values()) {
    try {
      data.push(JSON.parse(text));
    } catch {
      for (const line of text.split('\n')) if (line.trim() !== '') data.push(JSON.parse(line));
    }
  }
  return data;
}

// Fields that change with every edit: fields about the whole tree in Coppice's own formats, and times of the store's
// clock, which starts in 1970 in tests.
const ofTheWhole: ReadonlySet<string> = new Set(['sum', 'nodes', 'at', 'updatedAt']);

/** Counts how often each key has each plain value anywhere in the data. These counts must not decrease. */
function factsOf(data: Json): ReadonlyMap<string, number> {
  const facts = new Map<string, number>();
  const stack: { readonly key: string; readonly value: Json }[] = [{ key: '', value: data }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { key, value } = at;
    if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value))
        stack.push({ key: Array.isArray(value) ? key : name, value: inner });
    } else if (!ofTheWhole.has(key) && !String(value).startsWith('1970-')) {
      const fact = `${key}: ${JSON.stringify(value)}`;
      facts.set(fact, (facts.get(fact) ?? 0) + 1);
    }
  }
  return facts;
}

/** Checks that the record counts of a tree add up and that its ids are unique. */
function expectSums(tree: RepairedTree): void {
  let stood = tree.ownRecords ?? 0;
  for (const node of tree.nodes) stood += node.records;
  expect(tree.records).toBe(stood + tree.rejected);
  expect(new Set(tree.nodes.map((node) => node.externalId)).size).toBe(tree.nodes.length);
}

function expectSound(stored: StoredImport): void {
  for (const tree of stored.trees) expectSums(tree);
  for (const id of stored.ids)
    expect(checkTree(readStoredTree(stored, id)).filter((one) => one.severity === 'error')).toEqual([]);
  expect(Reflect.get({}, 'polluted')).toBe(undefined);
}

/** Returns the imported trees without the places of their nodes in the source. */
function shapeOf(stored: StoredImport): unknown {
  return stored.trees.map((tree) => ({
    id: tree.externalId,
    title: tree.title,
    active: tree.activeExternalId,
    nodes: tree.nodes.map(({ place: _, ...node }) => node),
  }));
}

function threadTexts(stored: StoredImport): string[] {
  const [id] = stored.ids;
  const [tree] = stored.trees;
  if (id === undefined || tree === undefined) return [];
  const byId = new Map(tree.nodes.map((node) => [node.externalId, node]));
  const texts: string[] = [];
  for (
    let node = byId.get(tree.activeExternalId ?? '');
    node !== undefined;
    node = byId.get(node.parentExternalId ?? '')
  )
    if (node.kind !== 'state') texts.push(messageKit.text(node.message));
  return texts.reverse();
}

/** Replaces the first byte of a text in one of the files by a byte that is never valid UTF-8. Undefined without the text. */
function withInvalidByte(files: FixtureFiles, texts: readonly string[]): FixtureFiles | undefined {
  for (const [name, file] of Object.entries(files)) {
    if (typeof file !== 'string') continue;
    for (const text of texts) {
      const at = text === '' ? -1 : file.indexOf(text);
      if (at === -1) continue;
      const bytes = encodeFixtureFile(file);
      bytes[encodeFixtureFile(file.slice(0, at)).length] = 0xff;
      return { ...files, [name]: bytes };
    }
  }
  return undefined;
}

/** Returns each text with its parent's text, independent of ids. */
function linksOf(stored: StoredImport): string[] {
  const links: string[] = [];
  for (const tree of stored.trees) {
    const byId = new Map(tree.nodes.map((node) => [node.externalId, node]));
    // Some formats store the system prompt separately, others as the first message.
    const prompt = tree.systemPrompt ?? '';
    if (prompt !== '') links.push(` > ${prompt}`);
    for (const node of tree.nodes) {
      if (node.kind === 'state') continue;
      let parent = byId.get(node.parentExternalId ?? '');
      // Some formats store settings as nodes of the chain, others separately; so the message above is used.
      while (parent?.kind === 'state') parent = byId.get(parent.parentExternalId ?? '');
      const above = parent === undefined ? prompt : messageKit.text(parent.message).trim();
      links.push(`${above} > ${messageKit.text(node.message).trim()}`);
    }
  }
  return links.sort();
}

/**
 * Returns the result of another reader for the same files. Undefined if it refuses them, finds nothing, or reports a
 * repair or a loss.
 */
async function takenAs(other: Format, files: FixtureFiles): Promise<string[] | undefined> {
  try {
    const taken = await importIntoStore(toImportInput(files), { format: other });
    const reported = taken.findings.some((one) => one.severity !== 'note');
    const nothing = taken.trees.every((tree) => tree.nodes.length === 0);
    if (nothing && !reported) expect([other.name, taken.findings]).not.toEqual([other.name, []]);
    return reported || nothing ? undefined : linksOf(taken);
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.code).toMatch(/^import\//);
    return undefined;
  }
}

const same = (texts: readonly string[], others: readonly string[] = []) =>
  texts.length === others.length && texts.every((text, index) => text === others[index]);

type Identified = ReturnType<typeof collectObjectsById>;

/**
 * Whether a record may differ after an edit: it belongs to the edited message, contains it, or continues one of its
 * lines.
 */
function belongsTo(key: string, texts: readonly string[], was: string, before: Identified, after: Identified): boolean {
  // If a record becomes several nodes, only the last node has the id of the record.
  if (key === was || was.startsWith(`${key}/`)) return true;
  const own = [...before].filter(([id]) => id === was || was.startsWith(`${id}/`)).flatMap(([, text]) => text);
  const parts = new Set(own.flatMap(idsIn));
  if (parts.has(key)) return true;
  return texts.every((text) => {
    // This is a time of the store's clock, which starts in 1970 in tests.
    if (text.includes('"1970-')) return true;
    if (idsIn(text).some((id) => id === was || parts.has(id))) return true;
    // The lines of a reply are merged into one line when the reply is edited.
    return [...before.keys()].some((id) => !after.has(id) && text.includes(JSON.stringify(id)));
  });
}

/** Returns the ids of nested records, which {@link collectObjectsById} replaced by references. */
const idsIn = (text: string) => [...text.matchAll(/\{"\$id":"([^"]*)"\}/g)].map(([, id = '']) => id);

const long = Reflect.get(globalThis, 'process')?.env?.COPPICE_LONG === '1';

/** Runs the suite: detection, sums, validity, round trip, repeated import, damage. */
export function runFormatConformance(format: Format, fixtures: readonly FormatFixture[]): void {
  const { reader, writer, name } = format;

  describe(`${name} as a member of the registry`, () => {
    it('[I1] has a name, a label and a summary, and reads or writes', () => {
      expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(format.label).not.toBe('');
      expect(format.summary).toMatch(/\.$/);
      expect(reader !== undefined || writer !== undefined).toBe(true);
      for (const sentence of Object.values(writer?.loses ?? {})) expect(sentence).toMatch(/\.$/);
    });
    if (reader === undefined) return;

    it.each(fixtures.filter((fixture) => fixture.detected !== false))(
      '[I2] is distinguished from every other format: $name',
      async ({ files }) => {
        const among = formats.includes(format) ? formats : [...formats, format];
        const [best, second] = guessFormats(await readSample(await openInput(toImportInput(files))), among);
        expect(best?.format.name).toBe(name);
        expect(second?.confidence ?? 0).toBeLessThan(best?.confidence ?? 0);
      },
    );

    it.each([...fixtures])('[I3] is read into valid trees, and every finding is reported: $name', async (fixture) => {
      const stored = await importIntoStore(toImportInput(fixture.files), { format });
      expectSound(stored);
      expect(stored.trees.length).toBe(fixture.trees);
      let nodes = 0;
      for (const tree of stored.trees) nodes += tree.nodes.length;
      expect(nodes).toBe(fixture.nodes);
      const reported = new Set(stored.findings.filter((one) => one.severity !== 'note').map((one) => one.code));
      const wanted = new Set(fixture.findings);
      for (const code of wanted) expect(stored.findings.map((one) => one.code)).toContain(code);
      for (const code of reported) expect([...wanted]).toContain(code);
      for (const one of stored.findings) expect(one.message.startsWith(one.place)).toBe(true);
      if (fixture.thread !== undefined) expect(threadTexts(stored)).toEqual(fixture.thread);
    });

    const others = formats.filter((one) => one.reader !== undefined && one.name !== name);
    it.each([...fixtures])('[I200] no other reader accepts it without a report: $name', async ({ files }) => {
      const own = linksOf(await importIntoStore(toImportInput(files), { format }));
      for (const other of others) {
        const taken = await takenAs(other, files);
        // Several programs write the same list of messages. Another reader may accept it if everything is imported
        // correctly.
        if (taken !== undefined) expect([other.name, taken]).toEqual([other.name, own]);
      }
    });

    it.each([...fixtures])('[I4] is read the same however its bytes are split: $name', async ({ files }) => {
      const whole = shapeOf(await importIntoStore(toImportInput(files), { format }));
      for (const piece of [1, 7, 4096])
        expect(shapeOf(await importIntoStore(toImportInput(files, piece), { format }))).toEqual(whole);
    });

    it.each([...fixtures])('[I5] adds nothing when it is read a second time: $name', async ({ files }) => {
      const first = await importIntoStore(toImportInput(files), { format });
      const before = first.ids.map((id) => readStoredTree(first, id));
      const again = await importIntoStore(toImportInput(files), { format, store: first.store });
      expect(again.commits).toEqual([]);
      expect(again.ids.map((id) => readStoredTree(first, id))).toEqual(before);
    });

    it.each(fixtures.filter((fixture) => fixture.newer !== undefined))(
      '[I6] takes new messages from a later export, and keeps the changes of the user: $name',
      async ({ files, newer = {} }) => {
        const first = await importIntoStore(toImportInput(files), { format });
        const [id] = first.ids;
        if (id === undefined) throw new Error('There is no tree.');
        const env = createTestClock(9);
        const act = { actor: 'me', kit: messageKit, ...env };
        const mine = await run(
          first.store,
          { type: 'append', treeId: id, messages: [{ message: textMessage('user', 'mine') }] },
          act,
        );
        await run(first.store, { type: 'attributes', treeId: id, set: { title: 'My own title' } }, act);
        const before = readStoredTree(first, id);
        await importIntoStore(toImportInput(newer), { format, store: first.store });
        const after = readStoredTree(first, id);
        expect(after.size).toBe(before.size + 1);
        expect(after.attributes).toEqual(before.attributes);
        expect(after.activeNodeId).toBe(mine.result.nodeId);
        expectSound({ ...first, trees: [] });
      },
    );

    it('[I234] keeps everything it declares, and declares everything it keeps', async () => {
      const trees: RepairedTree[] = [];
      for (const { files } of fixtures)
        for (const tree of (await importIntoStore(toImportInput(files), { format })).trees) trees.push(tree);
      if (writer !== undefined) {
        const files = Object.fromEntries((await exportStoredTrees(await buildRichTree(), format)).files);
        for (const tree of (await importIntoStore(toImportInput(files), { format })).trees) trees.push(tree);
      }
      if (format.keeps !== undefined) expect(listFeaturesOfTrees(trees)).toEqual(format.keeps);
    });

    it('[I7] never crashes on damaged input: it refuses with a code, or reads the rest and reports it', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...fixtures),
          fc.nat(),
          fc.array(arbitraryFileDamage, { minLength: 1, maxLength: 4 }),
          async ({ files }, which, blows) => {
            const entries = Object.entries(files);
            const hit = entries[which % entries.length]?.[0];
            const broken: FixtureFiles = Object.fromEntries(
              entries.map(([file, text]) => [
                file,
                file === hit ? blows.reduce(damageBytes, encodeFixtureFile(text)) : text,
              ]),
            );
            try {
              expectSound(await importIntoStore(toImportInput(broken), { format }));
            } catch (error) {
              if (!isAppError(error)) throw error;
              expect(error.code).toMatch(/^import\//);
            }
          },
        ),
        { numRuns: long ? 3000 : 60 },
      );
    });

    it.each(fixtures.filter(({ files, thread = [] }) => withInvalidByte(files, thread) !== undefined))(
      '[I51] reports invalid UTF-8 in a message, or refuses it: $name',
      async ({ files, thread = [] }) => {
        const damaged = withInvalidByte(files, thread) ?? files;
        try {
          const { findings } = await importIntoStore(toImportInput(damaged), { format });
          expect(findings.filter((one) => one.severity !== 'note')).not.toEqual([]);
        } catch (error) {
          if (!isAppError(error)) throw error;
          expect(error.code).toMatch(/^import\//);
        }
      },
    );

    it.each(fixtures.filter((one) => Object.values(one.files).every((file) => typeof file === 'string')))(
      '[I8] is read with a byte order mark in front: $name',
      async ({ files }) => {
        const marked = Object.fromEntries(Object.entries(files).map(([file, text]) => [file, `﻿${String(text)}`]));
        const plain = await importIntoStore(toImportInput(files), { format });
        expect(shapeOf(await importIntoStore(toImportInput(marked), { format }))).toEqual(shapeOf(plain));
      },
    );
  });
  if (writer === undefined) return;

  describe(`${name} as a writer`, () => {
    const written = fixtures.filter((fixture) => fixture.roundTrip !== undefined && fixture.roundTrip !== false);

    it.each(written)('[I9] writes back the data that was read: $name', async ({ files, roundTrip }) => {
      const stored = await importIntoStore(toImportInput(files), { format });
      const out = await exportStoredTrees(stored, format);
      const form = typeof roundTrip === 'function' ? roundTrip : dataOf;
      expect(canonicalJson(form(out.files))).toBe(canonicalJson(form(textsOf(files))));
      const { nodes } = out.report;
      expect(nodes.read).toBe(nodes.written + nodes.merged + nodes.left);
    });

    it('[I10] restores everything in a tree, or reports its loss under a declared name', async () => {
      const out = await exportStoredTrees(await buildRichTree(), format);
      const reported = Object.keys(out.report.counts);
      for (const what of reported) expect(Object.keys(writer.loses)).toContain(what);
      const { nodes } = out.report;
      expect(nodes.read).toBe(nodes.written + nodes.merged + nodes.left);
      if (reader === undefined) {
        expect(findUnshownFacts(out.files.values(), reported)).toEqual([]);
        return;
      }
      const again = await importIntoStore(toImportInput(Object.fromEntries(out.files)), { format });
      expectSound(again);
      expect(findSilentLosses(again.trees, reported, out.files.values())).toEqual([]);
    });

    it.each(written)(
      '[I11] writes back the original data even after an edit elsewhere in the tree: $name',
      async ({ files }) => {
        const stored = await importIntoStore(toImportInput(files), { format });
        const [id] = stored.ids;
        if (id === undefined || writer.loses.branches !== undefined) return;
        const tree = readStoredTree(stored, id);
        const before = await exportStoredTrees({ ...stored, ids: [id] }, format);
        const messages: { readonly message: Message }[] = [{ message: textMessage('user', 'grown here') }];
        const act = { actor: 'me', kit: messageKit, ...createTestClock(9) };
        await run(stored.store, { type: 'append', treeId: id, parentId: tree.rootId, messages, select: false }, act);
        const after = await exportStoredTrees({ ...stored, ids: [id] }, format);
        const kept = factsOf(dataOf(after.files));
        for (const [fact, count] of factsOf(dataOf(before.files)))
          expect([fact, kept.get(fact) ?? 0]).toEqual([fact, expect.toSatisfy((found: number) => found >= count)]);
        expect([...after.files.values()].join('')).toContain('grown here');
      },
    );

    it('[I32] changes no other record when one message is edited', async () => {
      if (writer.loses.branches !== undefined || written.length === 0) return;
      await fc.assert(
        fc.asyncProperty(fc.nat(written.length - 1), fc.nat(), async (fixture, which) => {
          const files = written[fixture]?.files ?? {};
          const stored = await importIntoStore(toImportInput(files), { format });
          const [id] = stored.ids;
          if (id === undefined) return;
          const { nodes } = await stored.store.read(id, () => readExportedTree(id));
          const plain = nodes.filter(
            ({ kind, message }) =>
              kind === 'message' &&
              message?.role !== 'tool' &&
              message?.content.every((block) => block.type === 'text'),
          );
          const node = plain[which % Math.max(1, plain.length)];
          if (node === undefined) return;
          const only = { ...stored, ids: [id] };
          const before = collectObjectsById(dataOf((await exportStoredTrees(only, format)).files));
          const act = { actor: 'me', kit: messageKit, ...createTestClock(9) };
          const edit = { type: 'edit', treeId: id, nodeId: node.id, content: 'edited here', mode: 'in-place' } as const;
          await run(stored.store, edit, act);
          const after = collectObjectsById(dataOf((await exportStoredTrees(only, format)).files));
          const was = stored.names.find((one) => one.nodeId === node.id)?.id ?? node.id;
          expect([...after.values()].flat().join('\n')).toContain('edited here');
          const others = [...before].filter(
            ([key, texts]) => !same(texts, after.get(key)) && !belongsTo(key, texts, was, before, after),
          );
          expect(others.map(([key, texts]) => [key, texts, after.get(key)])).toEqual([]);
        }),
        { numRuns: long ? 1000 : 12 },
      );
    });
  });
}
