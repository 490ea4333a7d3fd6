import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice show', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O16] prints the active thread with the place among variants, and the one that ends at a node', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    await bed.json(['edit', tree, '@', 'Two, differently']);
    const { out } = await bed.run(['show', tree]);
    expect(out).toContain('You 2/2');
    expect(out).toContain('Two, differently');
    expect(await bed.json(['show', tree, nodes[1] ?? '', '--leaf'])).toMatchObject({ nodes: [{ id: nodes[1] }] });
    expect(await bed.json(['show', tree, nodes[0] ?? '', '--through'])).toMatchObject({
      nodes: [{}, { text: 'Two, differently' }],
    });
  });

  it('[O7] says what of a session file cannot be read, and why another tool’s cannot be written', async () => {
    const header = { type: 'session', version: 2, uuid: 'r', parentUuid: null, id: 's' };
    const message = { type: 'message', uuid: 'm', parentUuid: 'r', message: { role: 'user', content: 'Hello' } };
    const torn = join(bed.home, 'torn.jsonl');
    const whole = `${JSON.stringify(header)}\n${JSON.stringify(message)}\n`;
    writeFileSync(torn, `${whole}{"type":"mess`);
    const shown = await bed.run(['show', 'last', '--store', `jsonl:${torn}`]);
    expect(shown).toMatchObject({ code: 0, err: expect.stringContaining(`byte ${whole.length}`) });
    expect(shown.out).toContain('Hello');
    const pi = join(bed.home, 'pi.jsonl');
    const line = { type: 'message', id: 'm', parentId: null, message: { role: 'user', content: 'Hello' } };
    writeFileSync(pi, `${JSON.stringify({ type: 'session', version: 3, id: 's' })}\n${JSON.stringify(line)}\n`);
    const { err } = await bed.run(['show', 'last', '--store', `jsonl:${pi}`]);
    expect(err.trim()).toMatch(/^\S+pi\.jsonl was written by another tool: .* nothing can be saved\.$/);
  });
});
