import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { makeTextEvents } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture } from '../testing/turn-fixture.ts';
import { toGeneratorSettings } from './defaults.ts';

let shop: TurnFixture;
afterEach(() => shop.close());

test('[H18] a turn uses the defaults of the configuration unless the request overrides them', async () => {
  const text = '[generate]\ntemperature = 0.3\nmax_tokens = 400\nfallback_model = "other/two"\n[tools]\nrounds = 3\n';
  const { defaults, limits } = toGeneratorSettings(parseConfig({ name: 'test.toml', text }, {}));
  expect(limits).toMatchObject({ rounds: 3, calls: 50, turnMs: 900_000 });
  expect(defaults.fallbackModel).toBe('other/two');
  shop = await openTurnFixture('memory', [makeTextEvents('Yes')], { defaults });
  await shop.send('One').done;
  await shop.send('Two', { temperature: 0.9 }).done;
  expect(shop.provider.requests.map(({ temperature, maxTokens }) => [temperature, maxTokens])).toEqual([
    [0.3, 400],
    [0.9, 400],
  ]);
});
