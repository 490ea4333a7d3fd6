import { type FileBlock, type ImageBlock, messageKit } from '@coppice/content';
import { type Block, type Message, run, type TextBlock } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { maxFileTextLength } from '../files/extract-text.ts';
import { Forest } from '../forest/index.ts';
import { MessageService } from '../message-service/index.ts';
import { newId } from '../new-id.ts';
import { type FakeProvider, openFakeProvider } from '../testing/fake-provider.ts';
import { makeSampleDocx, makeSamplePdf } from '../testing/sample-files.ts';
import { makeTextEvents } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture } from '../testing/turn-fixture.ts';

let fixture: TurnFixture;
let fake: FakeProvider | null = null;
afterEach(async () => {
  await fixture.close();
  await fake?.close();
  fake = null;
});

const png = Buffer.from('the bytes of a picture');
const pdf = Buffer.from('the bytes of a document');
const inlineData = png.toString('base64');

async function stored(bytes: Buffer, mediaType: string) {
  const { hash, size } = await fixture.store.blobs.put(bytes, mediaType);
  return { type: 'blob', hash, size } as const;
}

async function image(bytes: Buffer = png): Promise<ImageBlock> {
  return { type: 'image', mediaType: 'image/png', source: await stored(bytes, 'image/png') };
}

async function file(name: string, bytes: Buffer, mediaType: string): Promise<FileBlock> {
  return { type: 'file', name, mediaType, source: await stored(bytes, mediaType) };
}

function ask(models: readonly string[], ...content: readonly Block[]) {
  const message: Message = { role: 'user', content: [...content] };
  return fixture.generator.generate({ type: 'send', treeId: fixture.treeId, messages: [{ message }] }, { models });
}

describe.each(['openai', 'anthropic'] as const)('by the wire of %s', (kind) => {
  test('[M30] a blob is sent as its bytes, and stays a reference in the tree', async () => {
    fake = await openFakeProvider([]);
    const base = kind === 'openai' ? `${fake.url}/v1` : fake.url;
    fixture = await openTurnFixture('sqlite', [], {
      config: `[providers.fake]\nkind = "${kind}"\nbase_url = "${base}"\napi_key = "a-key-for-tests"\n`,
    });
    const content = [await image(), await file('a.pdf', pdf, 'application/pdf')];
    const end = await ask([kind === 'openai' ? 'fake/gpt-4o' : 'fake/claude-sonnet-5'], ...content).done;
    expect(end.type).toBe('end');
    const [picture, document] = [png.toString('base64'), pdf.toString('base64')];
    const sent = JSON.parse(fake.requests[0]?.body ?? '{}').messages.at(-1).content;
    expect(sent).toEqual(
      kind === 'openai'
        ? [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
            { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${document}` } },
          ]
        : [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
            expect.objectContaining({
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: document },
            }),
          ],
    );
    const reply = await fixture.node(end.nodeIds[0]);
    expect((await fixture.node(reply.parentId ?? undefined)).message?.content).toEqual(content);
  });
});

describe('blobs of the store', () => {
  test('[M30] that contain text are sent as text, to every provider', async () => {
    fixture = await openTurnFixture('memory', [makeTextEvents('Yes')], {
      provider: { takes: () => false },
    });
    await ask(['scripted/one'], await file('a.json', Buffer.from('{"a": "ä"}'), 'application/json')).done;
    expect(fixture.provider.requests[0]?.messages[0]?.content).toEqual([{ type: 'text', text: 'a.json\n{"a": "ä"}' }]);
  });

  test('[M31] are sent up to the limit, newest first; the rest and missing ones are named', async () => {
    fixture = await openTurnFixture('memory', [makeTextEvents('Yes')], { limits: { mediaBytes: 25 } });
    const first = Buffer.alloc(20, 1);
    await ask(['scripted/one'], await image(first)).done;
    const missing: ImageBlock = {
      type: 'image',
      mediaType: 'image/png',
      source: { type: 'blob', hash: '0'.repeat(64) },
    };
    await ask(['scripted/one'], missing, await image(Buffer.alloc(20, 2))).done;
    const [before, after] = fixture.provider.requests.map((request) =>
      request.messages.flatMap((message) => message.content).filter((block) => block.type === 'image'),
    );
    const sources = (blocks: readonly Block[] | undefined) =>
      blocks?.map((block) => ('source' in block ? block.source : null));
    expect(sources(before)).toEqual([{ type: 'base64', data: first.toString('base64') }]);
    expect(sources(after)).toEqual([
      expect.objectContaining({ type: 'blob' }),
      expect.objectContaining({ type: 'blob' }),
      { type: 'base64', data: Buffer.alloc(20, 2).toString('base64') },
    ]);
  });

  test('[M74] of which a part or nothing was sent are named by a notice of the reply', async () => {
    const long = makeSampleDocx(`<w:p><w:r><w:t>${'x'.repeat(maxFileTextLength + 5)}</w:t></w:r></w:p>`);
    fixture = await openTurnFixture('memory', [makeTextEvents('Yes')], {
      provider: { takes: (block) => block.type !== 'file' },
      limits: { mediaBytes: long.byteLength + 10 },
    });
    const missing: FileBlock = {
      type: 'file',
      name: 'gone.pdf',
      mediaType: 'application/pdf',
      source: { type: 'blob', hash: '0'.repeat(64) },
    };
    const content = [
      await file('long.docx', long, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'),
      await file('more.txt', Buffer.alloc(11, 'x'), 'text/plain'),
      missing,
    ];
    const end = await ask(['scripted/one'], ...content).done;
    const { meta } = await fixture.node(end.type === 'end' ? end.nodeIds[0] : undefined);
    expect(meta.source?.notices).toEqual(
      expect.arrayContaining([
        { code: 'notice/file-cut', data: { model: 'scripted/one', name: 'long.docx' } },
        {
          code: 'notice/file-left-out',
          data: { model: 'scripted/one', name: 'more.txt', limit: long.byteLength + 10 },
        },
        { code: 'notice/file-missing', data: { model: 'scripted/one', name: 'gone.pdf' } },
      ]),
    );
  });

  test('[M31] that cannot be read fail the reply, and the user message is kept', async () => {
    fixture = await openTurnFixture('memory', [makeTextEvents('Yes')]);
    const block = await image();
    const text: TextBlock = { type: 'text', text: 'Look' };
    Object.assign(fixture.store.blobs, { read: () => Promise.reject(new Error('The disk is gone.')) });
    const end = await ask(['scripted/one'], text, block).done;
    expect(end).toMatchObject({ type: 'error', message: expect.stringContaining('The disk is gone.') });
    expect(fixture.provider.requests).toEqual([]);
    expect((await fixture.thread())[0]).toBe('user: Look');
  });

  test('[M72] a model that does not accept a file gets its text, and the reply reports it; other models get the file', async () => {
    fixture = await openTurnFixture('memory', [makeTextEvents('Yes')], {
      provider: { takes: (block) => block.type !== 'file' },
    });
    const paper = makeSamplePdf('Coppicing renews a wood');
    const block = await file('wood.pdf', paper, 'application/pdf');
    const end = await ask(['scripted/one'], block).done;
    expect(fixture.provider.requests[0]?.messages[0]?.content).toEqual([
      { type: 'text', text: 'wood.pdf\n[Page 1]\nCoppicing renews a wood' },
    ]);
    const { meta } = await fixture.node(end.nodeIds[0]);
    expect(meta.source?.notices).toEqual([
      { code: 'notice/file-as-text', data: { model: 'scripted/one', name: 'wood.pdf' } },
    ]);
    await fixture.close();
    fixture = await openTurnFixture('memory', [makeTextEvents('Yes')]);
    await ask(['scripted/one'], await file('wood.pdf', paper, 'application/pdf')).done;
    expect(fixture.provider.requests[0]?.messages[0]?.content).toMatchObject([
      { type: 'file', source: { type: 'base64', data: paper.toString('base64') } },
    ]);
  });

  test('[M73] an inline image is stored as a blob, and sending the same message again gives the same node', async () => {
    fixture = await openTurnFixture('memory', [makeTextEvents('Yes')]);
    const inline: ImageBlock = {
      type: 'image',
      mediaType: 'image/png',
      source: { type: 'base64', data: png.toString('base64') },
    };
    await ask(['scripted/one'], inline).done;
    const [said] = await fixture.children(fixture.rootId);
    const { message } = await fixture.node(said?.id);
    expect(message?.content).toEqual([await image()]);
    expect(fixture.provider.requests[0]?.messages[0]?.content).toMatchObject([{ source: { type: 'base64' } }]);
    const again = { role: 'user', content: [inline] } as const;
    await run(
      fixture.store,
      { type: 'append', treeId: fixture.treeId, parentId: fixture.rootId, messages: [{ message: again }] },
      { actor: 'me', now: Date.now, newId: () => newId(), kit: messageKit },
    );
    expect(await fixture.children(fixture.rootId)).toHaveLength(1);
  });

  test('[M73] a picture in a reply is stored as a blob', async () => {
    const block: ImageBlock = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: inlineData } };
    fixture = await openTurnFixture('memory', [[{ type: 'image', block }, ...makeTextEvents('A hazel.')]]);
    const end = await ask(['scripted/one'], { type: 'text', text: 'Draw a tree.' } as TextBlock).done;
    expect(end.type).toBe('end');
    const { message } = await fixture.node(end.type === 'end' ? end.nodeIds[0] : undefined);
    expect(message?.content[0]).toEqual(await image());
  });

  test('[M73] pictures of messages and replies that a library adds are stored as blobs', async () => {
    fixture = await openTurnFixture('memory', []);
    const block = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: inlineData } };
    const forest = new Forest(fixture.store);
    const root = await forest.getOrCreateRoot('Be brief.');
    const added = await forest.append(root.id, [{ role: 'user', content: [block] }]);
    expect(added).toMatchObject({ message: { content: [await image()] } });
    const service = new MessageService(fixture.store);
    const asked = await service.create({ topicId: fixture.treeId, role: 'user', data: { parts: [block] } });
    expect(asked.data.parts).toEqual([await image()]);
  });
});
