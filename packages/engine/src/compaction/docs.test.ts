import { readFileSync } from 'node:fs';
import { ask, run, textMessage } from '@coppice/core';
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import * as engine from '../index.ts';
import { openWorkshop, type Workshop } from '../testing/workshop.ts';

const page = readFileSync(new URL('../../../../docs/compaction.md', import.meta.url), 'utf8');

function examples(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((found) => found[1] ?? '');
}

let shop: Workshop;
afterEach(() => shop?.close());

test('[Y44] the configuration on the page is one', () => {
  const [text = ''] = examples('toml');
  const config = parseConfig({ name: 'page', text }, {});
  expect(config.warnings).toEqual([]);
  expect(config.summaries.model).toBe('anthropic/claude-haiku-4-5');
  expect(config.compaction).toMatchObject({ automatic: true, readTools: ['fetch_source'], changeTools: ['patch'] });
});

test('[Y44] the programs on the page run', async () => {
  shop = await openWorkshop('memory', []);
  const { store, treeId, context } = shop;
  const words = 'word '.repeat(200);
  const say = async (texts: readonly string[], at = {}) => {
    const messages = texts.map((text, index) => ({
      message: textMessage(index % 2 === 0 ? 'user' : 'assistant', `${text} ${words}`),
    }));
    return (await run(store, { type: 'append', treeId, messages, merge: false, ...at }, context)).result.added;
  };
  const ids = await say(Array.from({ length: 40 }, (_, at) => `m${at}`));
  const [, tip] = await say(['s1', 's2'], { parentId: ids[3], select: false });
  const [first = '', second = ''] = examples('ts');
  const [, names = ''] = /import \{([^}]*)\} from '@coppice\/engine';/.exec(first) ?? [];
  const known = { ...engine, loadConfig: async () => parseConfig(null, {}) };
  const program = `return (async () => { const {${names}} = engine;\n${first.replace(/import [^;]*;/, '')}\n${second}\n await titles.close(); await generator.close(); })()`;
  await new Function('engine', 'store', 'treeId', 'nodeId', 'tip', program)(known, store, treeId, ids[5], tip);
  const nodes = await store.read(treeId, () => ask('topology', { of: shop.rootId }));
  const markers = nodes.map((node) => node.kind).filter((kind) => kind !== 'message');
  expect(markers).toEqual(['compaction', 'branch-summary', 'branch-summary']);
});
