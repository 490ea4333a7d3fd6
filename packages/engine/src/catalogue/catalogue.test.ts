import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fallbackModelLimits } from '@coppice/core/context';
import { describe, expect, it } from 'vitest';
import { providerDefinitions } from '../providers/registry.ts';
import { computeCost, createCatalogue, listBuiltInCatalogueRows } from './index.ts';
import { loadCatalogue } from './load.ts';
import { parseCatalogue } from './rows.ts';

describe('the catalogue', () => {
  it('[G70] has the window, longest reply and price of the models of the large providers', () => {
    const catalogue = createCatalogue();
    expect(catalogue.find('anthropic', 'claude-haiku-4-5')).toMatchObject({
      window: 200_000,
      maxOut: 64_000,
      known: true,
    });
    expect(catalogue.find('openai', 'gpt-4.1').price).toMatchObject({ input: 2, output: 8 });
    for (const provider of ['anthropic', 'google', 'openai', 'openrouter'])
      expect(catalogue.list(provider).length).toBeGreaterThan(10);
    for (const row of listBuiltInCatalogueRows())
      expect(Math.min(row.window ?? 0, row.maxOut ?? 0), row.id).toBeGreaterThan(0);
  });

  it('[G70] has the model that each provider recommends', () => {
    for (const { name, defaultModel, models } of providerDefinitions) {
      if (defaultModel === null || models.length > 0) continue;
      expect([name, createCatalogue().find(name, defaultModel).known]).toEqual([name, true]);
    }
  });

  it('[G71] assumes 8,192 tokens of window and reply for an unknown model, and every ability', () => {
    const info = createCatalogue().find('lab', '__proto__');
    expect(info).toMatchObject({
      window: fallbackModelLimits.window,
      maxOut: fallbackModelLimits.maxOut,
      price: null,
      known: false,
    });
    expect(info.capabilities).toEqual({ tools: true, thinking: true, images: true });
  });

  it('[G71] finds a dated or tagged name by its plain name', () => {
    const catalogue = createCatalogue();
    const dated = catalogue.find('openai', 'gpt-4.1-2025-04-14');
    expect(dated).toMatchObject({
      id: 'gpt-4.1-2025-04-14',
      known: true,
      window: catalogue.find('openai', 'gpt-4.1').window,
    });
  });

  it('[G72] is corrected by the operator first, then by a file, and by servers only where it has no value', () => {
    const overrides = new Map([
      ['openai/gpt-4.1', { window: 5000 }],
      ['lab/own', { window: 100, maxOut: 50, price: { input: 1 } }],
    ]);
    const catalogue = createCatalogue(overrides, [{ provider: 'openai', id: 'gpt-4.1', window: 7000, maxOut: 123 }]);
    catalogue.learn('openai', [{ id: 'gpt-4.1', window: 9 }]);
    catalogue.learn('lab', [{ id: 'fresh', window: 32_000, label: 'Fresh' }]);
    expect(catalogue.find('openai', 'gpt-4.1')).toMatchObject({ window: 5000, maxOut: 123 });
    expect(catalogue.find('lab', 'own')).toMatchObject({
      window: 100,
      maxOut: 50,
      price: { input: 1, output: 0 },
      known: true,
    });
    expect(catalogue.find('lab', 'fresh')).toMatchObject({ window: 32_000, maxOut: 8192, name: 'Fresh', known: true });
    expect(catalogue.list('lab').map((info) => info.id)).toEqual(['fresh', 'own']);
  });

  it('[G72] reads a file of models and refuses an invalid one with its position', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'catalogue-test-'));
    const file = join(folder, 'models.json');
    await writeFile(file, '{"models":[{"provider":"lab","id":"m","window":10,"price":[1,2]}]}');
    const catalogue = await loadCatalogue({ models: new Map(), catalogueFile: file });
    expect(catalogue.find('lab', 'm')).toMatchObject({ window: 10, price: { input: 1, output: 2 } });
    await writeFile(file, '{');
    await expect(loadCatalogue({ models: new Map(), catalogueFile: file })).rejects.toMatchObject({
      code: 'catalogue/invalid',
    });
    await rm(folder, { recursive: true });
    expect(() =>
      parseCatalogue({
        models: [
          { provider: 'a', id: 'b' },
          { provider: 'a', id: 'b', window: -1 },
        ],
      }),
    ).toThrow('models[1], has a field window');
    expect(() => parseCatalogue([])).toThrow('has no list of models');
    expect(() => parseCatalogue({ models: [{ provider: 'a', id: 'b', price: { input: '1' } }] })).toThrow(
      'price for input',
    );
  });

  it('[G73] calculates the cost of a usage, cached input once and at its own price', () => {
    const price = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 };
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 100_000,
      cacheReadTokens: 800_000,
      cacheWriteTokens: 100_000,
    };
    expect(computeCost(price, usage)).toEqual({ input: 1, output: 5, cacheRead: 0.8, cacheWrite: 1.25, total: 8.05 });
    expect(computeCost(null, usage)).toBeNull();
    expect(computeCost(price, { inputTokens: 1, outputTokens: 0, cacheReadTokens: 5 })?.input).toBe(0);
  });
});
