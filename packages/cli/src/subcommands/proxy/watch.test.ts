import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from '../../testing/index.ts';

describe('coppice proxy --watch', () => {
  let fixture: CliFixture;
  let said = '';
  const stop = new AbortController();
  beforeEach(() => {
    fixture = makeCliFixture({
      config: instantRepliesConfig,
      env: { COPPICE_MODEL: 'offline/guide' },
      signal: stop.signal,
      stderr: {
        write: (text) => {
          said += text;
        },
      },
    });
  });
  afterEach(() => fixture.close());

  it('[O50] prints the address to call, and each call with its model, tokens, time and tree as it arrives', async () => {
    const running = fixture.run(['proxy', '--watch', '--project', 'w', '--json']);
    await expect.poll(() => said).toContain('ANTHROPIC_API_KEY=');
    const of = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(said)?.[1] ?? '';
    expect(of('OPENAI_BASE_URL')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/p\/w\/v1$/);
    const ask = (headers: Readonly<Record<string, string>>) =>
      fetch(`${of('OPENAI_BASE_URL')}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'guide', messages: [{ role: 'user', content: 'What is a branch?' }] }),
      });
    expect((await ask({})).status).toBe(401);
    for (const headers of [
      { authorization: `Bearer ${of('OPENAI_API_KEY')}` },
      { 'x-api-key': of('ANTHROPIC_API_KEY') },
    ]) {
      const answer = await ask(headers);
      await answer.text();
      expect(answer.status).toBe(200);
    }
    const lines = () => said.split('\n').filter((line) => line.startsWith('guide'));
    await expect.poll(lines).toHaveLength(2);
    expect(lines()[0]).toMatch(/^guide {2}200 {2}[\d?]+ > [\d?]+ tokens {2}\d+ ms {2}[\da-f]{8} [\da-f]{8} \+2$/);
    expect(lines()[1]).toMatch(/\+1$/);
    stop.abort();
    const ran = await running;
    expect(JSON.parse(ran.out)).toMatchObject({ project: 'w', trees: [{ nodes: 3 }] });
    expect(said.slice(said.indexOf('guide  200'))).not.toContain(of('OPENAI_API_KEY'));
  });
});
