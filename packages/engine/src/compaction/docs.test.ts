import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';

const page = readFileSync(new URL('../../../../docs/compaction.md', import.meta.url), 'utf8');

function examples(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((found) => found[1] ?? '');
}

test('[Y44] the configuration in the document is valid', () => {
  const [text = ''] = examples('toml');
  const config = parseConfig({ name: 'page', text }, {});
  expect(config.warnings).toEqual([]);
  expect(config.summaries.model).toBe('anthropic/claude-haiku-4-5');
  expect(config.compaction).toMatchObject({ automatic: true, readTools: ['fetch_source'], changeTools: ['patch'] });
});
