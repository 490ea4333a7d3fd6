import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice export', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O41] writes a tree, a path and everything, to standard output or to files', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    await fixture.json(['edit', tree, nodes[1] ?? '', 'Other']);
    const { out } = await fixture.run(['export', tree, '-f', 'markdown']);
    for (const text of ['One', 'Two', 'Three', 'Other']) expect(out).toContain(text);
    const path = await fixture.run(['export', tree, nodes[1] ?? '', '-f', 'linear']);
    expect(path.out).toContain('Two');
    expect(path.out).not.toContain('Other');
    const written = await fixture.json(['export', '--all', '-o', 'all.coppice']);
    expect(written).toMatchObject({ report: { trees: 1, nodes: { read: 4, written: 4 } } });
    expect(readFileSync(`${fixture.home}/all.coppice`).length).toBeGreaterThan(100);
    expect(await fixture.run(['export', '--all', '-o', 'all.coppice'])).toMatchObject({ code: 4 });
  });

  it('[O41] an exported file is imported with the same ids', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    await fixture.json(['export', tree, '-o', 'one.coppice']);
    const elsewhere = `sqlite:${fixture.home}/elsewhere.db`;
    await fixture.json(['import', 'one.coppice', '--store', elsewhere]);
    expect(await fixture.json(['show', tree, '--store', elsewhere])).toMatchObject({
      nodes: nodes.map((id) => ({ id })),
    });
  });

  it('[O41] reports what has to be named, and lists the formats', async () => {
    expect(await fixture.run(['export'])).toMatchObject({ code: 2 });
    const wrong = await fixture.run(['export', '--all', '-f', 'papyrus']);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.err).toContain('markdown');
  });

  it('[O41] reports each loss once', async () => {
    const { tree } = await fixture.createChat('One');
    await fixture.run(['bookmark', tree, '@', 'Mine']);
    const { err } = await fixture.run(['export', tree, '-f', 'markdown']);
    expect(err).toContain('A bookmark is left out.\n');
    expect(err).not.toMatch(/^bookmarks: /m);
  });

  it('[O41] one tree is written to one file with the given name, or into a given folder', async () => {
    const { tree } = await fixture.createChat('One');
    expect(await fixture.run(['export', tree, '-f', 'markdown', '-o', 'one.md'])).toMatchObject({ code: 0 });
    expect(readFileSync(`${fixture.home}/one.md`, 'utf8')).toContain('One');
    mkdirSync(`${fixture.home}/folder`);
    for (const place of ['folder', 'fresh/']) {
      expect(await fixture.run(['export', tree, '-f', 'markdown', '-o', place])).toMatchObject({ code: 0 });
      expect(readdirSync(`${fixture.home}/${place}`)).toEqual([expect.stringMatching(/\.md$/)]);
    }
  });

  it('[O41] an incomplete file is removed, and the reason is reported', async () => {
    const { tree } = await fixture.createChat('One');
    // The parent of the target is a file and not a folder.
    writeFileSync(`${fixture.home}/taken`, '');
    const failed = await fixture.run(['export', tree, '-o', 'taken/one.coppice', '--json']);
    expect(failed.code).toBe(6);
    expect(JSON.parse(failed.err)).toMatchObject({
      error: { code: 'cli/output', message: expect.stringContaining('one.coppice') },
    });
    const stop = new AbortController();
    stop.abort(new DOMException('Stopped.', 'AbortError'));
    const stopped = makeCliFixture({ home: fixture.home, cwd: fixture.home, signal: stop.signal });
    expect(await stopped.run(['export', tree, '-o', 'half.coppice'])).toMatchObject({ code: 130 });
    stopped.close();
    expect(readdirSync(fixture.home).filter((name) => name.includes('coppice') && name !== '.coppice')).toEqual([]);
  });
});
