import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret, SecretText } from '../config/secret.ts';
import { excerptOf, makeErrorEvent } from '../providers/errors.ts';
import { redactKeys } from './redact.ts';

describe('keys', () => {
  it('[G32] that this process holds are removed from every text, whatever they look like', () => {
    const secret = new Secret('correct horse battery', 'https://api.example.org');
    const hidden = new SecretText('another one altogether');
    expect(redactKeys('say correct horse battery and another one altogether')).toBe('say «hidden» and «hidden»');
    expect([`${secret}`, JSON.stringify({ secret, hidden })]).toEqual([
      '«hidden»',
      '{"secret":"«hidden»","hidden":"«hidden»"}',
    ]);
  });

  it.each([
    ['Authorization: Bearer abc.def-ghi', 'abc.def'],
    ['{"authorization":"Bearer abcdefghij"}', 'abcdefghij'],
    ['x-api-key: 0123456789abcdef', '0123456789'],
    ['key sk-proj-abcdefghijklmnop is wrong', 'abcdefgh'],
    ['key sk-ant-api03-ABCDEFGH_ijklmnop', 'ABCDEFGH'],
    ['AIzaSyA1234567890abcdefghijklmnopq', 'SyA123'],
    ['https://me:secretword@example.org/x', 'secretword'],
    ['https://example.org/v1?key=abcdef123&x=1', 'abcdef123'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk', 'eyJzdWIi'],
  ])('[G32] are recognised by their shape: %s', (text, part) => {
    expect(redactKeys(text)).not.toContain(part);
    expect(redactKeys(text)).toContain('«hidden»');
  });

  it('[G32] are not found in ordinary sentences', () => {
    const plain =
      'The basic idea of a bearer of news: task-oriented work, risk-free, desk-bound; see https://example.org/a?b=c.';
    expect(redactKeys(plain)).toBe(plain);
  });

  it('[G32] are not shown however they are printed', () => {
    const secret = new Secret('never-to-be-seen', 'https://api.example.org/v1');
    const seen = [
      String(secret),
      `${secret}`,
      JSON.stringify([secret]),
      inspect(secret),
      inspect({ deep: { secret } }, { showHidden: true }),
      Object.keys(secret).join(),
      structuredCloneText(secret),
    ];
    for (const text of seen) expect(text).not.toContain('never-to-be-seen');
  });

  it('[G31] are given only to the host they were configured for', () => {
    const secret = new Secret('never-to-be-seen', 'https://api.example.org/v1');
    expect(secret.for('https://api.example.org/other')).toBe('never-to-be-seen');
    for (const other of [
      'http://api.example.org/v1',
      'https://api.example.org:8443',
      'https://example.org',
      'https://api.example.org.evil.net',
    ])
      expect(() => secret.for(other)).toThrow('is not sent to');
  });
});

function structuredCloneText(value: object): string {
  return JSON.stringify(structuredClone({ ...value }));
}

describe('excerpts', () => {
  it('[G29] are at most 2 KB of whole characters, and are redacted before they are cut', () => {
    const key = 'sk-abcdefghijklmnopqrstuvwxyz';
    for (const pad of [2030, 2035, 2040, 2048]) {
      const excerpt = excerptOf(`${'x'.repeat(pad)} ${key} ${'🌳'.repeat(1000)}`);
      expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(2048);
      expect(excerpt).not.toContain('sk-');
      expect(excerpt).not.toContain('\ufffd');
    }
    expect(excerptOf('short')).toBe('short');
    expect(makeErrorEvent('provider/failed', `with ${key}`, { excerpt: key })).toMatchObject({
      message: 'with «hidden»',
      excerpt: '«hidden»',
    });
  });
});
