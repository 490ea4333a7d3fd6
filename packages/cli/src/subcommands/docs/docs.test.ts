import { existsSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { renderMarkdownLines } from '../../chat/markdown.ts';
import { createTextStyles } from '../../terminal/style.ts';
import { instantRepliesConfig, makeCliFixture } from '../../testing/index.ts';

const fixture = makeCliFixture();
afterAll(() => fixture.close());

describe('docs', () => {
  it('[O180] lists the documents, and prints one, a section of it, or its path', async () => {
    const listed = await fixture.run(['docs']);
    expect(listed.out).toMatch(/^readme +Coppice\n/);
    expect(listed.out).toMatch(/\nguides\/deploy +Run it on a server\n/);
    expect(listed.out).not.toContain('decisions/');
    const whole = await fixture.run(['docs', 'models']);
    expect(whole.out).toMatch(/^# Models\n/);
    expect(whole.out).not.toContain('<!--');
    const section = await fixture.run(['docs', 'models#budgets']);
    expect(section.out).toMatch(/^## Budgets\n/);
    expect(section.out.match(/^## /gm)).toHaveLength(1);
    const { out } = await fixture.run(['docs', 'docs/models.md', '--path']);
    expect(readFileSync(out.trim(), 'utf8')).toContain('# Models');
    expect(await fixture.json(['docs', 'readme'])).toMatchObject({ name: 'readme', title: 'Coppice' });
  });

  it('[O180] an unknown document or section is not found, and nothing is created', async () => {
    expect(await fixture.run(['docs', 'nothing'])).toMatchObject({ code: 3 });
    expect(await fixture.run(['docs', '../../etc/passwd'])).toMatchObject({ code: 3 });
    expect(await fixture.run(['docs', 'models#nothing'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('coppice docs models'),
    });
    expect(existsSync(`${fixture.home}/.coppice`)).toBe(false);
  });

  it('[O180] a link of the guide is shown as the command that opens it', async () => {
    const text = 'Read [Budgets](coppice:docs/models#budgets) or [this](coppice:docs/x y).';
    expect(renderMarkdownLines(text, 80, createTextStyles(false)).join('\n')).toContain(
      'Budgets (coppice docs models#budgets)',
    );
    const guide = makeCliFixture({ config: instantRepliesConfig, home: fixture.home });
    const asked = await guide.run(['chat', '-p', '-m', 'offline/guide', 'How do I undo a mistake?']);
    const [, name = ''] = /\(coppice:docs\/([^)]+)\)/.exec(asked.out) ?? [];
    expect(await fixture.run(['docs', name])).toMatchObject({ code: 0 });
  });
});
