import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { escapeInvisibleCharacters, escapeInvisibleInJson, isJsonDeeperThan } from './escape-invisible-characters.ts';
import { assignToolNames } from './tool-names.ts';

describe('the names of tools', () => {
  test('[M3] are server__tool, and a name that providers do not accept is changed and gets a hash of the original', () => {
    const names = assignToolNames('files', ['read_file', 'get-sum', 'a.b', 'a b', 'ä', 'x'.repeat(80)]);
    expect(names.get('read_file')).toBe('files__read_file');
    expect(names.get('get-sum')).toBe('files__get-sum');
    expect(names.get('a.b')).toMatch(/^files__a_b_[0-9a-f]{8}$/);
    expect(names.get('a b')).toMatch(/^files__a_b_[0-9a-f]{8}$/);
    expect(names.get('x'.repeat(80))).toMatch(/^files__x{48}_[0-9a-f]{8}$/);
    expect(new Set(names.values()).size).toBe(6);
  });

  test('[M3] depend on the tool alone, not on the order or on other tools', () => {
    const tool = fc.oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^[a-z_.]{1,90}$/));
    fc.assert(
      fc.property(fc.uniqueArray(tool, { maxLength: 30 }), (tools) => {
        const names = assignToolNames('s', tools);
        expect(names.size).toBe(tools.length);
        expect(new Set(names.values()).size).toBe(tools.length);
        for (const name of names.values()) expect(name).toMatch(/^s__[A-Za-z0-9_-]{1,61}$/);
        expect(assignToolNames('s', [...tools].reverse())).toEqual(new Map([...names].reverse()));
        for (const each of tools) expect(assignToolNames('s', [each]).get(each)).toBe(names.get(each));
      }),
    );
  });

  test('[M3] get a longer hash if a changed name equals the name of another tool', () => {
    const taken = assignToolNames('s', ['a.b']).get('a.b') ?? '';
    const names = assignToolNames('s', ['a.b', taken.slice(3)]);
    expect(names.get(taken.slice(3))).toBe(taken);
    expect(names.get('a.b')).toMatch(/^s__a_b_[0-9a-f]{16}$/);
  });

  test.each(['a__b', 'a_', '__'])(
    '[M3] a server cannot be called %j, so that names of tools stay unambiguous',
    (name) => {
      const text = `[mcp.servers.${name}]\ncommand = ["x"]`;
      expect(() => parseConfig({ name: 'config.toml', text }, {})).toThrow('must not contain __');
    },
  );
});

describe('texts of servers', () => {
  test('[M8] are shown with hidden characters escaped, and are cut at a length', () => {
    expect(escapeInvisibleCharacters('Reads\ta file.\nThat is all.', 100)).toBe('Reads\ta file.\nThat is all.');
    expect(escapeInvisibleCharacters('Reads\u200b a\u202e file\u{e0041}\u001b[2J\ufe01', 200)).toBe(
      'Reads‹U+200B› a‹U+202E› file‹U+E0041›‹U+001B›[2J‹U+FE01›',
    );
    expect(escapeInvisibleCharacters('x'.repeat(20), 10)).toBe(`${'x'.repeat(10)}…`);
    expect(escapeInvisibleCharacters('👩', 1)).toBe('…');
  });

  test('[M8] are escaped in schemas too, whose keys stay unchanged', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"description":"a\\u200bb"},"n":{"enum":["\\u2060",1,null]}}}',
    );
    const shown = escapeInvisibleInJson(schema, 100);
    expect(JSON.stringify(shown)).toBe(
      '{"properties":{"__proto__":{"description":"a‹U+200B›b"},"n":{"enum":["‹U+2060›",1,null]}}}',
    );
  });

  test('[M17] that are nested without end are detected', () => {
    const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(isJsonDeeperThan(deep(64), 64)).toBe(false);
    expect(isJsonDeeperThan(deep(66), 64)).toBe(true);
    expect(isJsonDeeperThan(deep(5_000), 64)).toBe(true);
  });
});
