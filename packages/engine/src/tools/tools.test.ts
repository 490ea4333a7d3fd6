import { getEventListeners } from 'node:events';
import type { JsonObject } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { GrantedApprovals, hashToolCall } from './approval.ts';
import type { ApprovalRequest, Approve, Tool, ToolCall, ToolResult } from './contract.ts';
import { defineTool, type ToolSpecification } from './define.ts';
import { builtInTools, createTools } from './registry.ts';
import { truncateToBytes } from './result-text.ts';
import { toToolSettings } from './rules.ts';
import { compileSchema } from './schema.ts';

function tool(spec: Partial<ToolSpecification> & Pick<ToolSpecification, 'run'>): Tool {
  return defineTool({
    name: 'work',
    description: 'Works.',
    sideEffects: false,
    parameters: { type: 'object' },
    ...spec,
  });
}

function calling(parameters: JsonObject = {}, name = 'work'): ToolCall {
  return { id: 'c1', name, parameters };
}

function textOf({ message }: ToolResult): string {
  return message.content.map((block) => ('text' in block ? String(block.text) : '')).join('');
}

describe('the registry', () => {
  test('[W60] the built-in tools are used unless others are named, and models get name, purpose and schema', () => {
    const tools = createTools();
    expect(tools.list()).toEqual(builtInTools);
    expect(tools.specs().map((spec) => spec.name)).toEqual(['current_date', 'introspect']);
    expect(Object.keys(tools.specs(['introspect'])[0] ?? {})).toEqual(['name', 'description', 'parameters']);
    expect(() => tools.specs(['nothing'])).toThrow('"nothing"');
    expect(createTools({ tools: [] }).list()).toEqual([]);
  });

  test('[W60] the schemas of the built-in tools, which are compiled with the first call, are valid and checked', async () => {
    for (const { name, parameters } of builtInTools) {
      expect(compileSchema(name, parameters)({})).toBeUndefined();
      expect(textOf(await createTools().call(calling({ unknown: 1 }, name)))).toContain('do not fit');
    }
  });

  test('[W61] a name is used once, and only the owner of a tool removes it', () => {
    const tools = createTools({ tools: [] });
    const remove = tools.add(tool({ run: () => 'first' }));
    expect(() => tools.add(tool({ run: () => 'second' }))).toThrow('already');
    remove();
    const second = tool({ run: () => 'second' });
    tools.add(second);
    remove();
    expect(tools.find('work')).toBe(second);
  });

  test.each(['', 'a b', 'x'.repeat(65), 'naïve', 'a.b'])('[W61] the name %j is refused', (name) => {
    expect(() => tool({ name, run: () => '' })).toThrow(expect.objectContaining({ code: 'tool/bad-name' }));
  });

  test.each<[string, JsonObject]>([
    ['of no object', { type: 'string' }],
    ['that is none', { type: 'object', properties: { a: { type: 'nothing' } } }],
    ['that points elsewhere', { type: 'object', properties: { a: { $ref: 'https://example.org/x.json' } } }],
    ['that is too large', { type: 'object', description: 'x'.repeat(300_000) }],
  ])('[W62] a schema %s is refused', (_, parameters) => {
    const tools = createTools({ tools: [] });
    expect(() => tools.add(tool({ parameters, run: () => '' }))).toThrow(
      expect.objectContaining({ code: 'tool/bad-schema' }),
    );
    expect(tools.list()).toEqual([]);
  });

  test('[W62] schemas of both drafts are accepted, even with unknown keywords and with one id for two tools', async () => {
    const older = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.org/same',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'number' }, { type: 'string' }] } },
    };
    const newer = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.org/same',
      type: 'object',
      'x-hint': 1,
      properties: { pair: { prefixItems: [{ type: 'number' }, { type: 'string' }] }, at: { format: 'who-knows' } },
    };
    for (const parameters of [older, newer, { ...newer }]) {
      const tools = createTools({ tools: [tool({ parameters, run: () => 'ok' })] });
      expect(textOf(await tools.call(calling({ pair: [1, 'a'], at: 'x' })))).toBe('ok');
      expect((await tools.call(calling({ pair: ['a', 1] }))).error).toBe('tool/bad-arguments');
    }
  });
});

describe('a pattern in a schema', () => {
  test('[W62] is not evaluated here: it could take forever, and the tool checks its input itself', async () => {
    for (const $schema of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema']) {
      const parameters = { $schema, type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
      const tools = createTools({ tools: [tool({ parameters, run: () => 'ok' })] });
      expect(textOf(await tools.call(calling({ a: `${'a'.repeat(200)}!` })))).toBe('ok');
    }
  });
});

describe('a call', () => {
  test('[W63] is answered with a tool message: text unchanged, anything else as JSON', async () => {
    for (const [result, text] of [
      ['plain', 'plain'],
      ['', ''],
      [{ a: [1, null] }, '{"a":[1,null]}'],
      [null, 'null'],
      [3, '3'],
    ] as const) {
      const answered = await createTools({ tools: [tool({ run: async () => result })] }).call(calling());
      expect(answered).toMatchObject({ callId: 'c1', name: 'work', error: null, truncated: false });
      expect(answered.message).toEqual({ role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text }] });
    }
  });

  test('[W64] of a tool that is unknown, or not active, is answered with the available names', async () => {
    const tools = createTools();
    const unknown = await tools.call(calling({}, 'nothing'));
    expect(unknown.error).toBe('tool/unknown');
    expect(textOf(unknown)).toContain('current_date, introspect');
    const inactive = await tools.call(calling({}, 'current_date'), { active: ['introspect'] });
    expect(inactive.error).toBe('tool/unknown');
    expect((await tools.call(calling({}, '__proto__'))).error).toBe('tool/unknown');
  });

  test('[W65] with invalid arguments is not run, and the answer gives path and reason', async () => {
    let ran = 0;
    const parameters: JsonObject = {
      type: 'object',
      properties: { size: { type: 'integer', maximum: 3 }, kind: { enum: ['a', 'b'] } },
      required: ['size'],
      additionalProperties: false,
    };
    const tools = createTools({ tools: [tool({ parameters, run: () => String(++ran) })] });
    for (const [given, why] of [
      [{}, "required property 'size'"],
      [{ size: 'x' }, 'at /size: must be integer'],
      [{ size: 9 }, 'must be <= 3'],
      [{ size: 1, kind: 'c' }, '["a","b"]'],
      [{ size: 1, other: 1 }, '"other"'],
    ] as const) {
      const answered = await tools.call(calling(given));
      expect(answered.error).toBe('tool/bad-arguments');
      expect(textOf(answered)).toContain(why);
    }
    const cut = await tools.call({ ...calling({ size: 1 }), malformed: 'They end in the middle of a string.' });
    expect(textOf(cut)).toContain('cannot be read: They end in the middle of a string.');
    expect(ran).toBe(0);
    expect((await tools.call(calling({ size: 1 }))).error).toBeNull();
  });

  test.each<[string, Tool['run']]>([
    ['an error at once', () => raise(new Error('out of paper'))],
    ['an error later', async () => raise(new Error('out of paper'))],
    ['a mere text', async () => raise('out of paper')],
  ])('[W66] of a tool that throws %s is answered with the error', async (_, run) => {
    const answered = await createTools({ tools: [tool({ run })] }).call(calling());
    expect(answered.error).toBe('tool/failed');
    expect(textOf(answered)).toContain('out of paper');
  });

  test('[W67] ends at its time limit, even if the tool does not, and aborts the signal of the tool', async () => {
    let reported: unknown;
    const hanging = tool({
      timeoutMs: 5,
      run: (_parameters, { signal }) =>
        new Promise<string>(() => {
          signal.addEventListener('abort', () => {
            reported = signal.reason;
          });
        }),
    });
    const answered = await createTools({ tools: [hanging] }).call(calling());
    expect(answered.error).toBe('tool/timeout');
    expect(textOf(answered)).toContain('5 ms');
    expect(reported).toMatchObject({ code: 'tool/timeout' });
    const byDefault = createTools({ tools: [{ ...hanging, timeoutMs: undefined }], limits: { timeoutMs: 4 } });
    expect(textOf(await byDefault.call(calling()))).toContain('4 ms');
  });

  test('[W68] ends at once when it is stopped, before or while it runs, and leaves no listener', async () => {
    const control = new AbortController();
    let started = 0;
    const tools = createTools({
      tools: [
        tool({
          run: (_parameters, { signal }) => {
            started++;
            return new Promise((_, reject) =>
              signal.addEventListener('abort', () => reject(new Error('my own words'))),
            );
          },
        }),
      ],
    });
    const running = tools.call(calling(), { signal: control.signal });
    await Promise.resolve().then(() => control.abort());
    expect((await running).error).toBe('tool/aborted');
    expect((await tools.call(calling(), { signal: control.signal })).error).toBe('tool/aborted');
    expect(started).toBe(1);
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });

  test('[W69] cuts a result at its limit, marks the cut, and never splits a character', async () => {
    const tools = createTools({ tools: [tool({ run: () => 'é😀'.repeat(400_000) })] });
    const answered = await tools.call(calling());
    expect(answered).toMatchObject({ truncated: true, error: null });
    const text = textOf(answered);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/\n\[truncated: the result has 2400000 bytes, the limit is 1048576\]$/);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 80, max: 300 }), (said, limit) => {
        const within = truncateToBytes(said, limit);
        expect(Buffer.byteLength(within.text)).toBeLessThanOrEqual(limit);
        expect(within.truncated).toBe(Buffer.byteLength(said) > limit);
        const kept = within.truncated ? within.text.slice(0, within.text.lastIndexOf('\n[truncated')) : within.text;
        expect(said.startsWith(kept)).toBe(true);
        expect(Buffer.from(kept).toString()).toBe(kept);
      }),
    );
  });

  test('[W70] runs in parallel with others; the results are in the order of the calls', async () => {
    const release: (() => void)[] = [];
    const slow = tool({
      name: 'slow',
      run: () => new Promise<string>((resolve) => release.push(() => resolve('slow'))),
    });
    const quick = tool({
      name: 'quick',
      run: () => {
        release[0]?.();
        return 'quick';
      },
    });
    const tools = createTools({ tools: [slow, quick] });
    const both = await tools.callAll([calling({}, 'slow'), { ...calling({}, 'quick'), id: 'c2' }]);
    expect(both.map(textOf)).toEqual(['slow', 'quick']);
    expect(both.map((one) => one.message.tool_call_id)).toEqual(['c1', 'c2']);
  });
});

describe('approval', () => {
  const ran: JsonObject[] = [];
  const writing = tool({
    name: 'write',
    sideEffects: true,
    run(parameters) {
      ran.push(parameters);
      return 'written';
    },
  });
  const tools = createTools({ tools: [writing] });

  test('[W71] a tool that does not declare otherwise has side effects, and does not run without an approval function', async () => {
    expect(defineTool({ name: 'x', description: '', run: () => '' }).sideEffects).toBe(true);
    const answered = await tools.call(calling({ path: 'a' }, 'write'));
    expect(answered.error).toBe('tool/not-approved');
    const undecided = await tools.call(calling({ path: 'a' }, 'write'), { approve: () => JSON.parse('null') });
    expect(undecided.error).toBe('tool/not-approved');
    expect(ran).toEqual([]);
  });

  test('[W72] the approver sees the exact arguments, and an approval of other arguments does not count', async () => {
    ran.length = 0;
    const asked: ApprovalRequest[] = [];
    const parameters = { path: 'a', deep: { list: [1, 2] } };
    const approved = await tools.call(calling(parameters, 'write'), {
      approve(request) {
        asked.push(request);
        return { approved: true, hash: request.hash };
      },
    });
    expect(textOf(approved)).toBe('written');
    expect(asked[0]).toMatchObject({
      callId: 'c1',
      name: 'write',
      parameters,
      hash: hashToolCall('write', parameters),
    });
    for (const hash of [hashToolCall('write', { path: 'b' }), hashToolCall('read', parameters), '']) {
      const denied = await tools.call(calling(parameters, 'write'), { approve: () => ({ approved: true, hash }) });
      expect(denied.error).toBe('tool/not-approved');
    }
    const refused = await tools.call(calling(parameters, 'write'), {
      approve: async () => ({ approved: false, reason: 'not on a Sunday' }),
    });
    expect(textOf(refused)).toContain('not on a Sunday');
    const failed = await tools.call(calling(parameters, 'write'), { approve: () => raise(new Error('nobody home')) });
    expect([failed.error, textOf(failed).includes('nobody home')]).toEqual(['tool/not-approved', true]);
    expect(ran).toEqual([parameters]);
  });

  test('[W72] exactly the approved arguments are run, whatever happens to the input meanwhile', async () => {
    ran.length = 0;
    const parameters = { path: 'safe' };
    await tools.call(calling(parameters, 'write'), {
      approve(request) {
        parameters.path = 'evil';
        Object.assign(request.parameters, { path: 'evil' });
        return { approved: true, hash: request.hash };
      },
    });
    expect(ran).toEqual([{ path: 'safe' }]);
  });

  test('[W73] the hash covers tool and arguments: the order of keys does not count, everything else does', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (given, value) => {
        const parameters = JSON.parse(JSON.stringify(given));
        const turned = Object.fromEntries(Object.entries(parameters).reverse());
        expect(hashToolCall('t', JSON.parse(JSON.stringify(turned)))).toBe(hashToolCall('t', parameters));
        expect(hashToolCall('u', parameters)).not.toBe(hashToolCall('t', parameters));
        const more = JSON.parse(JSON.stringify({ ...parameters, 'one more': value }));
        if (!Object.hasOwn(parameters, 'one more'))
          expect(hashToolCall('t', more)).not.toBe(hashToolCall('t', parameters));
      }),
    );
  });

  test('[W74] an approval given in advance is valid for one call; later calls need another approval', async () => {
    const approvals = new GrantedApprovals();
    const approve = approvals.deciding();
    const hash = hashToolCall('write', { n: 1 });
    approvals.grant(hash);
    const call = () => tools.call(calling({ n: 1 }, 'write'), { approve });
    expect([(await call()).error, (await call()).error]).toEqual([null, 'tool/not-approved']);
    approvals.grant(hash);
    approvals.grant(hash);
    expect((await call()).error).toBeNull();
    approvals.revoke(hash);
    expect((await call()).error).toBe('tool/not-approved');
    const further = approvals.deciding((request) => ({ approved: true, hash: request.hash }));
    expect((await tools.call(calling({ n: 2 }, 'write'), { approve: further })).error).toBeNull();
  });

  test('[M43] the operator decides if the configuration has a rule, and the approver decides if it has none', async () => {
    const errorOf = async (lines: string, name: string, approve?: Approve) => {
      const settings = toToolSettings(parseConfig({ name: 'test.toml', text: `[tools]\n${lines}` }, {}));
      const reading = tool({ name: 'read', run: () => 'read' });
      return (await createTools({ ...settings, tools: [writing, reading] }).call(calling({}, name), { approve })).error;
    };
    const yes: Approve = ({ hash }) => ({ approved: true, hash });
    const no: Approve = () => ({ approved: false });
    const denied = 'tool/not-approved';
    expect(await errorOf('', 'write')).toBe(denied);
    expect(await errorOf('', 'write', yes)).toBeNull();
    expect(await errorOf('allow = ["write"]', 'write')).toBeNull();
    expect(await errorOf('allow = ["other"]', 'write', yes)).toBeNull();
    expect(await errorOf('allow = ["other"]', 'write', no)).toBe(denied);
    expect(await errorOf('allow = ["other"]', 'write')).toBe(denied);
    expect(await errorOf('approval = "always"', 'write')).toBeNull();
    expect(await errorOf('approval = "never"', 'write', yes)).toBe(denied);
    expect(await errorOf('approval = "never"\nallow = ["write"]', 'write')).toBeNull();
    expect(await errorOf('approval = "never"', 'read')).toBeNull();
    expect(await errorOf('approval = "always"\nallow = ["write"]\ndeny = ["write"]', 'write', yes)).toBe(denied);
    expect(await errorOf('deny = ["read"]', 'read', yes)).toBe(denied);
  });

  test('[W74] a call that waits for approval ends when it is stopped, and is never run later', async () => {
    ran.length = 0;
    const control = new AbortController();
    const answered = await tools.call(calling({}, 'write'), {
      signal: control.signal,
      approve: () => {
        queueMicrotask(() => control.abort());
        return new Promise(() => undefined);
      },
    });
    expect(answered.error).toBe('tool/aborted');
    expect(ran).toEqual([]);
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });
});

function raise(what: unknown): never {
  throw what;
}
