import { describe, expect, it } from 'vitest';
import { defaultServerLimits } from '../contract.ts';
import { type BodyKind, BodyPaceMonitor } from './body-pace.ts';

const [second, hour] = [1_000, 3_600_000];

function paceOf(kind: BodyKind): BodyPaceMonitor {
  return new BodyPaceMonitor(kind, defaultServerLimits, 0);
}

describe('the time limit of a request body', () => {
  it('[A155] a JSON body must arrive within 60 seconds, however slowly', () => {
    const pace = paceOf('json');
    expect(pace.msUntilCheck(0)).toBe(60 * second);
    for (let at = 1; at < 60; at++) expect(pace.check(at * second, at * 1_000_000)).toBeNull();
    expect(pace.check(60 * second, 60_000_000)).toMatch(/60 s/);
  });

  it('[A155] an upload is refused if less than 64 kB arrive in 30 seconds', () => {
    const pace = paceOf('upload');
    expect(pace.msUntilCheck(0)).toBe(30 * second);
    expect(pace.check(30 * second, 65_536)).toBeNull();
    expect(pace.msUntilCheck(30 * second)).toBe(30 * second);
    expect(pace.check(59 * second, 65_536)).toBeNull();
    expect(pace.check(60 * second, 2 * 65_536 - 1)).toMatch(/65536 bytes.*30 s/);
  });

  it('[A155] an upload that keeps arriving is refused after six hours', () => {
    const pace = paceOf('upload');
    const step = 30 * second;
    for (let at = step; at < 6 * hour; at += step) expect(pace.check(at, (at / step) * 65_536)).toBeNull();
    expect(pace.check(6 * hour, 720 * 65_536)).toMatch(/21600 s/);
  });

  it('[A155] time in which the server itself was busy does not count', () => {
    const pace = paceOf('upload');
    pace.pause(10 * second);
    expect(pace.check(50 * second, 100)).toBeNull();
    pace.resume(50 * second);
    expect(pace.msUntilCheck(50 * second)).toBe(20 * second);
    expect(pace.check(69 * second, 100)).toBeNull();
    expect(pace.check(70 * second, 100)).not.toBeNull();
  });
});
