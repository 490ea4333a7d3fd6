// @module-tag full
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FakeProvider, openFakeProvider } from '@coppice/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

const agent = join(dirname(fileURLToPath(import.meta.resolve('@mariozechner/pi-coding-agent'))), 'cli.js');

describe('a real agent through coppice proxy', () => {
  let fixture: CliFixture;
  let service: FakeProvider;
  beforeEach(async () => {
    const note = (id: string) => ({
      text: 'Let me read.',
      calls: [{ id, name: 'read', parameters: { path: 'note.txt' } }],
    });
    service = await openFakeProvider([
      note('toolu_1'),
      note('toolu_2'),
      { text: 'It says: oak.' },
      { text: 'A title.' },
    ]);
    fixture = makeCliFixture({ env: { PATH: process.env['PATH'] } });
    mkdirSync(join(fixture.home, '.coppice'));
    writeFileSync(join(fixture.home, '.coppice', 'config.toml'), `[proxy]\nanthropic = "${service.url}"\n`);
    writeFileSync(join(fixture.home, 'note.txt'), 'oak');
  });
  afterEach(async () => {
    await service.close();
    fixture.close();
  });

  it('[O51] its loop is one tree; calls with another system prompt are a tree of the same project', async () => {
    // This agent gets the provider's address from an extension, not from a variable.
    const extension = join(fixture.home, 'there.mjs');
    writeFileSync(
      extension,
      "export default (pi) => pi.registerProvider('anthropic', { baseUrl: process.env.ANTHROPIC_BASE_URL });",
    );
    const words = ['--offline', '--no-session', '-ne', '-ns', '-np', '-nc', '--thinking', 'off', '-e', extension];
    const model = ['--provider', 'anthropic', '--model', 'claude-sonnet-4-5', '-p'];
    const program = join(fixture.home, 'twice.mjs');
    writeFileSync(
      program,
      `import { spawnSync } from 'node:child_process';
      const run = (...more) => spawnSync(process.execPath, ${JSON.stringify([agent, ...words])}.concat(more), {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, HOME: ${JSON.stringify(fixture.home)}, PI_CODING_AGENT_DIR: ${JSON.stringify(join(fixture.home, 'pi'))} },
      }).status;
      const model = ${JSON.stringify(model)};
      process.exit(run('--system-prompt', 'You read.', ...model, 'What does note.txt say?')
        || run('--system-prompt', 'You name things.', '-nt', ...model, 'Name this.'));`,
    );
    const ran = await fixture.run(['proxy', '--project', 'pi', '--json', '--', process.execPath, program]);
    expect(ran).toMatchObject({ code: 0 });
    expect(service.requests).toHaveLength(4);
    const { trees, project } = JSON.parse(ran.out);
    expect(project).toBe('pi');
    // One tree has a question, two tool calls with results, and the answer; the other a question and a title.
    expect(trees.map(({ nodes }: { readonly nodes: number }) => nodes).sort()).toEqual([2, 6]);
    const of = (tree: { readonly attributes: { readonly project: string; readonly systemPrompt: string } }) =>
      tree.attributes;
    const all: readonly { readonly tree: Parameters<typeof of>[0] }[] = trees;
    expect(new Set(all.map(({ tree }) => of(tree).project))).toEqual(new Set(['pi']));
    const prompts = all.map(({ tree }) => of(tree).systemPrompt).sort();
    expect(prompts[0]).toMatch(/^You name things\./);
    expect(prompts[1]).toMatch(/^You read\./);
  });
});
