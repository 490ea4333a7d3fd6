import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';
import { subcommands } from '../all.ts';

describe('coppice completion', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O4] prints a script for each shell that names every subcommand and option', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { script } = await fixture.json(['completion', shell]);
      for (const member of subcommands) expect(script).toContain(member.name);
      expect(script).toContain('cascade');
    }
    expect(await fixture.run(['completion', 'tcsh'])).toMatchObject({ code: 2 });
  });

  it('[O4] the script for bash completes in bash', async () => {
    const { script } = await fixture.json(['completion', 'bash']);
    const asked = `${String(script)}\nCOMP_WORDS=(coppice cher); COMP_CWORD=1; _coppice coppice cher coppice; echo "$COMPREPLY"`;
    expect(execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).trim()).toBe('cherry-pick');
  });

  it('[O4] names, options, ids and the values of options are completed, and completing creates nothing', async () => {
    const next = async (...words: readonly string[]) => {
      const { out } = await fixture.run(['completion', 'fish', '--json', '--', ...words]);
      const { candidates }: { candidates: readonly { value: string }[] } = JSON.parse(out);
      return candidates.map(({ value }) => value);
    };
    expect(await next('show', '')).toEqual([]);
    expect(existsSync(join(fixture.home, '.coppice'))).toBe(false);
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    await fixture.json(['bookmark', tree, nodes[0] ?? '', 'plan']);
    const short = (id: string | undefined) => id?.slice(-8);
    expect(await next('show', '')).toEqual(['last', short(tree)]);
    expect(await next('show', tree.slice(0, 13))).toEqual([tree]);
    expect(await next('show', tree, '')).toEqual(['@', 'root', 'plan', short(nodes[1]), short(nodes[0])]);
    expect(await next('show', tree, 'pl')).toEqual(['plan']);
    expect(await next('append', tree, '--parent', '@')).toEqual(['@']);
    expect(await next('append', '--role', 'as')).toEqual(['assistant']);
    expect(await next('rm', tree, '@', 'ro')).toEqual(['root']);
    expect(await next('chat', '--model', 'offline/g')).toEqual(['offline/guide']);
    expect(await next('regenerate', tree, '-m', 'offline/')).toEqual(['offline/guide', 'offline/babble']);
    expect(await next('docs', 'getting')).toEqual(['getting-started']);
    // Words are split as in bash, and the store does not exist.
    expect(await next('--store', 'sqlite', ':', '/nowhere/at/all.db', 'show', '')).toEqual([]);
    expect(await next('nonsense', '')).toEqual([]);
    expect((await fixture.run(['completion', 'zsh', '--', 'show', 'la'])).out).toBe('last:One\n');
  });

  it('[O4] the script for bash calls coppice for ids, with the line so far', async () => {
    const { script } = await fixture.json(['completion', 'bash']);
    const asked = `${String(script)}
      coppice() { local IFS=' '; printf '%s\\n' "$*"; }
      COMP_WORDS=(coppice --owner me show las); COMP_CWORD=4; _coppice coppice las show; echo "$COMPREPLY"
      COMP_WORDS=(coppice append --ro); COMP_CWORD=2; _coppice coppice --ro append; echo "$COMPREPLY"`;
    const lines = execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).trim().split('\n');
    expect(lines).toEqual(['completion bash -- --owner me show las', '--role']);
  });

  it.each(['zsh', 'fish'].filter((shell) => !spawnSync(shell, ['--version']).error))(
    '[O4] %s, if it is installed, accepts its script',
    async (shell) => {
      const { script } = await fixture.json(['completion', shell]);
      const file = join(fixture.home, `coppice.${shell}`);
      writeFileSync(file, String(script));
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );
});
