import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildMessageWithFiles, completeFilePath, findReferencedFiles } from './file-attachments.ts';
import { acceptCompletion, buildInputMenu } from './menu.ts';

describe('files in a message', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-files-'));
    mkdirSync(join(folder, 'notes'));
    for (const name of ['Notes.md', '.secret', 'notes/oak.txt', 'oak.png'])
      writeFileSync(join(folder, name), `content of ${name}`);
    writeFileSync(join(folder, 'program'), Buffer.from([1, 0, 2]));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('[O101] completes folders first, and hidden files only on request', () => {
    const values = (typed: string) => completeFilePath(typed, folder).map(({ value }) => value);
    expect(values('no')).toEqual(['@notes/', '@Notes.md']);
    expect(values('notes/o')).toEqual(['@notes/oak.txt']);
    expect(values('.')).toEqual(['@.secret']);
    expect(values('')).not.toContain('@.secret');
    expect(values('nowhere/')).toEqual([]);
  });

  it('[O101] quotes a path with blanks, and completes within the quotes', () => {
    mkdirSync(join(folder, 'my notes'));
    writeFileSync(join(folder, 'my notes', 'elm tree.txt'), 'Elm');
    const menu = (text: string) =>
      buildInputMenu({ text, cursor: text.length }, [], (typed) => completeFilePath(typed, folder));
    const accept = (text: string) => {
      const found = menu(text);
      const [item] = found.items;
      return item === undefined ? null : acceptCompletion({ text, cursor: text.length }, found, item).text;
    };
    expect(accept('See @my')).toBe('See @"my notes/');
    expect(accept('See @"my notes/')).toBe('See @"my notes/elm tree.txt" ');
    expect(menu('See @"my notes/elm tree.txt"').items).toEqual([]);
    expect(findReferencedFiles('See @"my notes/elm tree.txt" ', folder)).toEqual([
      join(folder, 'my notes', 'elm tree.txt'),
    ]);
  });

  it('[O101] finds the files that a text names, and ignores addresses and names of people', () => {
    expect(findReferencedFiles('See @Notes.md, me@Notes.md and @somebody or @notes.', folder)).toEqual([
      join(folder, 'Notes.md'),
    ]);
    expect(findReferencedFiles('@Notes.md @Notes.md', folder)).toHaveLength(1);
  });

  it('[O101] sends a folder as the list of its names, if its name ends with a slash', async () => {
    const store = await openStore('memory:', { owner: 'local' });
    mkdirSync(join(folder, 'my notes'));
    mkdirSync(join(folder, 'notes', 'old'));
    const scope = { store, folder, images: true };
    const textsOf = async (text: string) =>
      (await buildMessageWithFiles(text, scope)).content
        .slice(1)
        .map((block) => ('name' in block && 'source' in block ? [block.name, block.source] : block.type));
    expect(await textsOf('What is in @notes/?')).toEqual([
      ['notes.txt', { type: 'text', text: 'The folder notes contains:\noak.txt\nold/\n' }],
    ]);
    expect(await textsOf('And in @"my notes/"')).toEqual([
      ['my notes.txt', { type: 'text', text: 'The folder my notes contains:\nnothing\n' }],
    ]);
    expect(await textsOf('In @"my notes/\nor elsewhere')).toHaveLength(1);
    expect(await textsOf('Ask @notes, or @nowhere/')).toEqual([]);
    await store.close();
  });

  it('[O101] sends text as a file, an image if the model accepts it, and refuses the rest', async () => {
    const store = await openStore('memory:', { owner: 'local' });
    const scope = { store, folder, images: true };
    expect(await buildMessageWithFiles('Read @notes/oak.txt', scope)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Read @notes/oak.txt' },
        {
          type: 'file',
          name: 'oak.txt',
          mediaType: 'text/plain',
          source: { type: 'text', text: 'content of notes/oak.txt' },
        },
      ],
    });
    const image = await buildMessageWithFiles('@oak.png', scope);
    expect(image.content[1]).toMatchObject({
      type: 'image',
      mediaType: 'image/png',
      source: { type: 'blob', size: 18 },
    });
    await expect(buildMessageWithFiles('@oak.png', { ...scope, images: false })).rejects.toThrow(/takes none/);
    await expect(buildMessageWithFiles('@program', scope)).rejects.toThrow(/neither text nor an image/);
    writeFileSync(join(folder, 'large.txt'), 'x'.repeat(400_001));
    await expect(buildMessageWithFiles('@large.txt', scope)).rejects.toThrow(/too large/);
    await store.close();
  });
});
