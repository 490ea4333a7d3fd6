import { textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice backfill', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O20] stores lists as trees and reports how many', async () => {
    const store = await openStore(`sqlite:${fixture.home}/linear.db`);
    const id = treeId('01890c2e-0000-7000-8000-000000000001');
    await store.putLinear({ treeId: id, createdAt: 1, messages: [{ message: textMessage('user', 'Hello') }] });
    await store.close();
    const url = `sqlite:${fixture.home}/linear.db`;
    expect(await fixture.json(['backfill', '--store', url])).toEqual({ done: 1, left: 0 });
    expect(await fixture.json(['show', id, '--store', url])).toMatchObject({ nodes: [{ text: 'Hello' }] });
  });
});
