import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { makeTextEvents } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture } from '../testing/turn-fixture.ts';
import { toGeneratorSettings } from './settings.ts';

let fixture: TurnFixture;
afterEach(() => fixture.close());

test('[H18] a turn uses the defaults of the configuration unless the request overrides them', async () => {
  const text = '[generate]\ntemperature = 0.3\nmax_tokens = 400\nfallback_model = "other/two"\n[tools]\nrounds = 3\n';
  const { defaults, limits } = toGeneratorSettings(parseConfig({ name: 'test.toml', text }, {}));
  expect(limits).toMatchObject({ rounds: 3, calls: 50, turnMs: 900_000 });
  expect(defaults.fallbackModel).toBe('other/two');
  fixture = await openTurnFixture('memory', [makeTextEvents('Yes')], { defaults });
  await fixture.send('One').done;
  await fixture.send('Two', { temperature: 0.9 }).done;
  expect(fixture.provider.requests.map(({ temperature, maxTokens }) => [temperature, maxTokens])).toEqual([
    [0.3, 400],
    [0.9, 400],
  ]);
});
