// @module-tag terminal
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCliFixture } from '../../testing/index.ts';
import {
  compiledCliArgv,
  makeHome,
  startProgramInTerminal,
  type TestTerminal,
  terminalKeys,
} from '../../testing/terminal.ts';

const size = { columns: 100, rows: 30 };

describe('completion in the shells themselves', () => {
  let home: ReturnType<typeof makeHome>;
  let env: Record<string, string>;
  let terminal: TestTerminal;
  let ids: readonly string[];
  beforeAll(async () => {
    home = makeHome();
    const bin = join(home.home, 'bin');
    mkdirSync(bin);
    const command = join(bin, 'coppice');
    writeFileSync(command, `#!/bin/sh\nexec ${compiledCliArgv.map((word) => `'${word}'`).join(' ')} "$@"\n`);
    chmodSync(command, 0o755);
    env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, PS1: 'ready> ', HISTFILE: '/dev/null' };
    const fixture = makeCliFixture({ home: home.home });
    const [oaks, elms] = [await fixture.createChat('Oaks live long'), await fixture.createChat('Elms fell ill')];
    await fixture.run(['rename', oaks.tree, 'On oaks']);
    await fixture.run(['rename', elms.tree, 'On elms']);
    ids = [oaks.tree, elms.tree].map((id) => id.slice(-8));
    fixture.close();
  });
  afterAll(() => home.close());
  afterEach(() => terminal.kill());

  /** Completes names, options and ids, with titles where ids are listed. */
  async function complete(setUp: string): Promise<void> {
    await terminal.shows(/[>#] *$/m);
    terminal.type(`${setUp}; echo set''up\r`);
    await terminal.shows(/^setup/m);
    terminal.type(`coppice cherr${terminalKeys.tab}`);
    await terminal.shows('coppice cherry-pick');
    terminal.type(`${terminalKeys.control('u')}coppice append --ro${terminalKeys.tab}`);
    await terminal.shows('coppice append --role');
    terminal.type(`${terminalKeys.control('u')}coppice show ${ids[0]?.slice(0, 6)}${terminalKeys.tab}`);
    await terminal.shows(`coppice show ${ids[0]}`);
    terminal.type(`${terminalKeys.control('u')}coppice show ${terminalKeys.tab}`);
    await terminal.shows(/On oaks/);
    const shown = await terminal.shows(/On elms/);
    for (const id of ids) expect(shown).toContain(id);
  }

  it('[O4] bash completes commands', async () => {
    terminal = startProgramInTerminal(['bash', '--norc', '--noprofile', '-i'], home.home, size, env);
    await complete("bind 'set show-all-if-ambiguous on'; source <(coppice completion bash)");
  });

  it('[O4] zsh completes commands', async () => {
    terminal = startProgramInTerminal(['zsh', '-f', '-i'], home.home, size, env);
    await complete('autoload -U compinit; compinit -u -D; source <(coppice completion zsh)');
  });

  it('[O4] fish completes commands', async () => {
    terminal = startProgramInTerminal(['fish', '--no-config', '-i'], home.home, size, env);
    await complete('coppice completion fish | source');
  });
});
