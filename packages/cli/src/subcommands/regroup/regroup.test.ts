import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeProvider, openFakeProvider } from '@coppice/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice regroup', () => {
  let fixture: CliFixture;
  let service: FakeProvider;
  beforeEach(async () => {
    service = await openFakeProvider([{ text: 'One.' }, { text: 'Two.' }]);
    fixture = makeCliFixture({ env: { PATH: process.env['PATH'] } });
    mkdirSync(join(fixture.home, '.coppice'));
    writeFileSync(
      join(fixture.home, '.coppice', 'config.toml'),
      `[proxy]\nanthropic = "${service.url}"\ngrouping = "prompt"\n`,
    );
  });
  afterEach(async () => {
    await service.close();
    await fixture.close();
  });

  it('[O141] previews, regroups and undoes the recordings of a project', async () => {
    const program = join(fixture.home, 'agent.mjs');
    writeFileSync(
      program,
      `for (const words of ['First question', 'Second question'])
        await (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': process.env.ANTHROPIC_API_KEY, 'anthropic-version': '2023-06-01' },
          body: JSON.stringify({ model: 'm-x', max_tokens: 9, stream: true, system: 'Be brief.', messages: [{ role: 'user', content: words }] }),
        })).text();`,
    );
    expect(await fixture.run(['proxy', '--project', 'shop', '--', process.execPath, program])).toMatchObject({
      code: 0,
    });
    const count = async () => JSON.parse((await fixture.run(['ls', '--project', 'shop', '--json'])).out).items.length;
    expect(await count()).toBe(1);
    const preview = await fixture.run(['regroup', 'shop', '--preview']);
    expect(preview.out).toContain('First question');
    expect(preview.out).toContain('Would turn 1 chat by prompt into 2 sessions.');
    expect(await count()).toBe(1);
    const done = await fixture.run(['regroup', 'shop']);
    expect(done.out).toContain('Undo with: coppice regroup shop --undo');
    expect(done.err).toContain('still grouped by prompt');
    expect(await count()).toBe(2);
    expect((await fixture.run(['regroup', 'shop', '--undo'])).out).toContain('Restored 1 chat by prompt');
    expect(await count()).toBe(1);
    expect((await fixture.run(['regroup', 'other'])).out).toContain(
      'The project other has no recordings that are grouped by system prompt.',
    );
  });
});
