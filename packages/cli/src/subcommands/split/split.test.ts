import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice split', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O14] splits a message in two; the right part keeps the id', async () => {
    const { tree, nodes } = await fixture.createChat('Hello world');
    const cut = await fixture.json(['split', tree, '@', '6']);
    expect(cut).toMatchObject({ right: nodes[0] });
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: [{ text: 'Hello ' }, { text: 'world' }] });
    expect(await fixture.run(['split', tree, '@', 'six'])).toMatchObject({ code: 2 });
  });

  it('[O14] counts characters as people see them, not code units', async () => {
    const { tree } = await fixture.createChat('👩‍👩‍👧 e\u0301 = three');
    await fixture.json(['split', tree, '@', '3']);
    expect(await fixture.json(['show', tree])).toMatchObject({
      nodes: [{ text: '👩‍👩‍👧 e\u0301' }, { text: ' = three' }],
    });
    const refused = await fixture.run(['split', tree, '@', '99']);
    expect(refused).toMatchObject({ code: 2 });
    // An error has short ids too; as JSON it has whole ones.
    expect(refused.err).toMatch(/^The text of [0-9a-f]{8} cannot be split at 99/);
    expect((await fixture.run(['split', tree, '@', '99', '--json'])).err).toMatch(/The text of [0-9a-f-]{36} cannot/);
  });
});
