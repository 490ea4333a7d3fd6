import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeProvider, openFakeProvider } from '@coppice/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice agents', () => {
  let fixture: CliFixture;
  let service: FakeProvider;
  beforeEach(async () => {
    const call = { id: 't1', name: 'Agent', parameters: { prompt: 'Find it.', description: 'Find the oak' } };
    service = await openFakeProvider([{ text: 'Sending.', calls: [call] }, { text: 'Found.' }]);
    fixture = makeCliFixture({ env: { PATH: process.env['PATH'] } });
    mkdirSync(join(fixture.home, '.coppice'));
    writeFileSync(join(fixture.home, '.coppice', 'config.toml'), `[proxy]\nanthropic = "${service.url}"\n`);
  });
  afterEach(async () => {
    await service.close();
    await fixture.close();
  });

  it('[O140] lists sessions with their sub-agents, and the figures of both', async () => {
    expect(await fixture.run(['agents'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('No recorded sessions'),
    });
    const program = join(fixture.home, 'agent.mjs');
    writeFileSync(
      program,
      `const call = async (words, more) => {
        const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': process.env.ANTHROPIC_API_KEY, 'anthropic-version': '2023-06-01',
            'user-agent': 'claude-cli/2.1', 'x-claude-code-session-id': 's1', ...more },
          body: JSON.stringify({ model: 'm-x', max_tokens: 9, stream: true, tools: [{ name: 'Agent', input_schema: {} }], messages: [{ role: 'user', content: words }] }),
        });
        await answer.text();
      };
      await call('Name the oak', {});
      await call('Find it.', { 'x-claude-code-agent-id': 'a' });`,
    );
    const ran = await fixture.run(['proxy', '--project', 'shop', '--', process.execPath, program]);
    expect(ran).toMatchObject({ code: 0 });
    const listed = await fixture.run(['agents']);
    expect(listed.code).toBe(0);
    const lines = listed.out.split('\n');
    expect(lines[0]).toMatch(/^Today: 2 calls, 1 tool call, \d+ tokens/);
    expect(lines).toContain('shop');
    expect(lines.find((line) => line.includes('Claude Code: Name the oak'))).toMatch(/2 calls, 1 tool call, /);
    expect(lines.find((line) => line.includes('sub-agent: Find the oak'))).toMatch(
      /^ {4}\S+ {2}sub-agent.*1 call, 0 tool calls/,
    );
    const data = JSON.parse((await fixture.run(['agents', '--program', 'Claude Code', '--json'])).out);
    expect(data).toMatchObject({
      sessions: [{ title: 'Name the oak', project: 'shop', children: [{ kind: 'sub-agent', call: 't1' }] }],
      failed: [],
    });
    expect(JSON.parse((await fixture.run(['agents', '--program', 'Codex', '--json'])).out).sessions).toEqual([]);
    expect((await fixture.run(['agents', '--by', 'program'])).out).toContain('\nClaude Code\n');
    const shown = await fixture.run(['show', data.sessions[0].children[0].treeId]);
    expect(shown.out).toContain('Sub-agent of "Name the oak"');
    const parent = await fixture.run(['show', data.sessions[0].treeId]);
    expect(parent.out).toContain('Sub-agent: Find the oak');
  });
});
