import type { ModelView } from '@coppice/client';
import { expect, test } from 'vitest';
import { groupModels } from './model-groups.ts';

const model = (id: string, ready = true): ModelView => ({
  id,
  provider: id.split('/')[0] ?? '',
  providerLabel: (id.split('/')[0] ?? '').toUpperCase(),
  label: id.split('/')[1] ?? '',
  window: 1000,
  windowKnown: true,
  maxOut: 100,
  price: null,
  capabilities: { tools: true, thinking: false, images: false },
  ready,
  missing: ready ? null : 'key',
});

test('[B120] a menu of models has favourites first, then the usable ones by provider', () => {
  const models = [model('a/one'), model('a/two'), model('b/three'), model('c/four', false), model('c/five', false)];
  const groups = groupModels(models, ['b/three', 'gone/x'], '');
  expect(groups.map((group) => [group.provider, group.models.map((each) => each.id)])).toEqual([
    [null, ['b/three']],
    ['a', ['a/one', 'a/two']],
  ]);
  expect(groupModels(models, [], 'A tw').flatMap((group) => group.models.map((each) => each.id))).toEqual(['a/two']);
});
