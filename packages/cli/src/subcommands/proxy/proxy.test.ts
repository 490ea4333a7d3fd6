import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from '../../testing/index.ts';

describe('coppice proxy', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture({
      config: instantRepliesConfig,
      env: { COPPICE_MODEL: 'offline/guide', PATH: process.env['PATH'] },
    });
  });
  afterEach(() => fixture.close());

  it('[O50] runs a program with its calls recorded, shows its tree, and ends with its exit code', async () => {
    const program = `${fixture.home}/agent.mjs`;
    writeFileSync(
      program,
      `const ask = (messages) => fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY },
        body: JSON.stringify({ model: 'default', messages }),
      }).then((answer) => answer.json());
      const first = [{ role: 'user', content: 'What is a branch?' }];
      const { choices } = await ask(first);
      await ask([...first, choices[0].message, { role: 'user', content: 'And a variant?' }]);
      process.exit(7);`,
    );
    const ran = await fixture.run(['proxy', '--project', 'agent', '--json', '--', process.execPath, program]);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.out)).toMatchObject({ project: 'agent', trees: [{ nodes: 4 }] });
    // The trees of earlier runs are not shown again.
    const idle = await fixture.run(['proxy', '--project', 'agent', '--json', '--', process.execPath, '-e', '1']);
    expect(JSON.parse(idle.out)).toMatchObject({ project: 'agent', trees: [] });
    expect(await fixture.run(['proxy'])).toMatchObject({ code: 2 });
    expect(await fixture.run(['proxy', '--', '/nowhere/program'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('/nowhere/program cannot be started: there is no such program.'),
    });
  });

  it('[O50] says what a program must use if none of its calls was recorded', async () => {
    const program = `${fixture.home}/agent.mjs`;
    writeFileSync(
      program,
      `const answer = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer a-key-written-into-the-program' },
        body: JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      process.exit(answer.status === 401 ? 0 : 1);`,
    );
    const ran = await fixture.run(['proxy', '--', process.execPath, program]);
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/No calls were recorded\. The program must use OPENAI_BASE_URL, .*OPENAI_API_KEY/);
  });

  it('[O50] starts no program if it was stopped before', async () => {
    const other = makeCliFixture({ env: { PATH: process.env['PATH'] }, signal: AbortSignal.abort() });
    expect(await other.run(['proxy', '--', process.execPath, '-e', 'setInterval(() => 1, 1000)'])).toMatchObject({
      code: 130,
    });
    await other.close();
  });
});
