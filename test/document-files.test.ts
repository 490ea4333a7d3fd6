/** Tests the documents that are installed with the page and with the command. */
import { buildGuideKnowledge } from '@coppice/engine/guide-passages';
import { expect, test } from 'vitest';
import { documentNameOf, renderDocumentFiles } from '../site/document-files.ts';

const files = new Map(renderDocumentFiles().map(({ path, content }) => [path, content]));

test('every section that the guide can link to is a page with that anchor, and needs no network', () => {
  const missing = buildGuideKnowledge()
    .passages.map(({ path, anchor }) => ({ path: `docs/${documentNameOf(path)}.html`, anchor }))
    .filter(({ path, anchor }) => files.get(path)?.includes(` id="${anchor}"`) !== true);
  expect(missing).toEqual([]);
  for (const [path, content] of files) {
    if (!path.endsWith('.html')) continue;
    // The content security policy of the page allows no script and no resource of another host.
    expect(content, path).not.toMatch(/<script|<style| on\w+="|<(?:img|link)[^>]+(?:src|href)="(?:https?:)?\/\//);
    const folder = `http://x/${path}`;
    for (const [, href = ''] of content.matchAll(/(?:href|src)="(\.[^"#]*)[^"]*"/g))
      expect(files.has(new URL(href, folder).pathname.slice(1)), `${path}: ${href}`).toBe(true);
  }
});
