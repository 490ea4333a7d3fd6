import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';
import { subcommands } from '../index.ts';

describe('coppice completion', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O4] prints a script for each shell that names every subcommand and option', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { script } = await bed.json(['completion', shell]);
      for (const member of subcommands) expect(script).toContain(member.name);
      expect(script).toContain('cascade');
    }
    expect(await bed.run(['completion', 'tcsh'])).toMatchObject({ code: 2 });
  });

  it('[O4] the script for bash completes in bash', async () => {
    const { script } = await bed.json(['completion', 'bash']);
    const asked = `${String(script)}\nCOMP_WORDS=(coppice cher); COMP_CWORD=1; _coppice coppice cher coppice; echo "$COMPREPLY"`;
    expect(execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).trim()).toBe('cherry-pick');
  });
});
