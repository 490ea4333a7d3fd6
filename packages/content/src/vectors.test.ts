import { unwrapResult } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { equalityKey } from './equality.ts';
import { parseMessage, parseMessageText, toContentText } from './message.ts';
import { type TestVector, testVectors } from './vectors.ts';

/** Compares long texts without printing them. */
function expectText(actual: string, expected: string): void {
  if (expected.length < 10_000) expect(actual).toBe(expected);
  else expect(actual === expected).toBe(true);
}

function expectAccepted(vector: TestVector, canonical: string, content: string): void {
  const message = unwrapResult(parseMessageText(vector.json()));
  const written = canonicalJson(message);
  expectText(written, canonical);
  expectText(toContentText(message.content), content);
  expectText(JSON.stringify(JSON.parse(content)), content);
  const again = unwrapResult(parseMessageText(written));
  expectText(canonicalJson(again), written);
  expect(equalityKey(again)).toBe(equalityKey(message));
}

describe('[C35] the shared vectors', () => {
  it.each(testVectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { outcome } = vector;
    if (outcome.accepted) {
      expectAccepted(vector, outcome.canonical(), outcome.content());
    } else {
      const result = parseMessageText(vector.json());
      expect(result.ok ? 'accepted' : result.refusal.code).toBe(outcome.code);
    }
    expect(Reflect.get({}, 'polluted')).toBe(undefined);
  });

  it('[C35] have unique names and cover both outcomes', () => {
    expect(new Set(testVectors.map((vector) => vector.name)).size).toBe(testVectors.length);
    expect(testVectors.filter((vector) => vector.outcome.accepted).length).toBeGreaterThan(30);
    expect(testVectors.filter((vector) => !vector.outcome.accepted).length).toBeGreaterThan(30);
  });

  it('[C35] give the same results for parsed values, except for what JSON.parse hides', () => {
    const hidden = /duplicate|rounded|64-bit|power of two|past 10 MB in bytes|torn/;
    for (const vector of testVectors) {
      if (hidden.test(vector.name)) continue;
      let value: unknown;
      try {
        value = JSON.parse(vector.json());
      } catch {
        expect(vector.outcome.accepted).toBe(false);
        continue;
      }
      const result = parseMessage(value);
      expect([vector.name, result.ok]).toEqual([vector.name, vector.outcome.accepted]);
    }
  });
});
