import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { run, textMessage, treeId } from '@coppice/core';
import { createTestClock, ReferenceStore, testUuid } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { runFormatConformance } from '../conformance.ts';
import type { ExportedTree } from '../contract.ts';
import { readExportedTree } from '../exporting.ts';
import { writeExport } from '../write.ts';
import { html } from './index.ts';

const id = treeId(testUuid(1));
const attack = '</script><script>alert(1)</script><img src=x onerror=alert(2)> & "quotes" \'too\'';

async function page(): Promise<string> {
  const store = new ReferenceStore();
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  const say = (role: 'user' | 'assistant', text: string) => ({ message: textMessage(role, text) });
  await run(store, { type: 'create', treeId: id, attributes: { title: attack, systemPrompt: attack } }, act);
  const first = await run(store, { type: 'append', treeId: id, messages: [say('user', 'Which?')] }, act);
  const parentId = first.result.nodeId;
  await run(
    store,
    {
      type: 'append',
      treeId: id,
      parentId,
      messages: [say('assistant', `Green.\n\`\`\`js\nboil("<b>")\n\`\`\`\nDone.`), say('user', attack)],
    },
    act,
  );
  const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'AAAA' } };
  const drawing = { type: 'image', mediaType: 'image/svg+xml', source: { type: 'base64', data: 'AAAA' } };
  const thinking = { type: 'thinking', thinking: attack };
  const message = {
    role: 'assistant' as const,
    content: [thinking, ...textMessage('assistant', 'Black.').content, image, drawing],
  };
  await run(store, { type: 'append', treeId: id, parentId, messages: [{ message }] }, act);
  async function* trees(): AsyncGenerator<ExportedTree> {
    yield await store.read(id, () => readExportedTree(id));
  }
  let text = '';
  for await (const event of writeExport(html, trees(), { now: 0 })) if (event.type === 'text') text += event.text;
  return text;
}

interface Article {
  readonly id: string;
  readonly dataset: { readonly parent: string };
  hidden: boolean;
  scrollIntoView(): void;
}

/** Runs the script of the page with the few browser functions that it uses. */
function opened(text: string) {
  const articles: Article[] = [...text.matchAll(/<article id="([^"]*)" data-parent="([^"]*)"/g)].map(
    ([, name = '', parent = '']) => ({
      id: name,
      dataset: { parent },
      hidden: false,
      scrollIntoView: () => undefined,
    }),
  );
  const marked = new Map<string, boolean>();
  const links = [...text.matchAll(/<li><a href="(#[^"]*)"/g)].map(([, hash = '']) => ({
    hash,
    classList: { toggle: (_name: string, on: boolean) => marked.set(hash, on) },
  }));
  const location = { hash: '' };
  let changed: () => void = () => undefined;
  const leaf = /data-leaf="([^"]*)"/.exec(text)?.[1] ?? '';
  const script = /<script>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '';
  runInNewContext(script, {
    document: {
      body: { dataset: { leaf } },
      querySelectorAll: (what: string) => (what === 'article' ? articles : links),
    },
    addEventListener: (_name: string, listener: () => void) => {
      changed = listener;
    },
    location,
  });
  const shown = () => articles.filter((one) => !one.hidden).map((one) => one.id);
  const go = (hash: string) => {
    location.hash = hash;
    changed();
    return shown();
  };
  return { shown, go, marked: () => [...marked].filter(([, on]) => on).map(([hash]) => hash), script };
}

runFormatConformance(html, []);

describe('the page', () => {
  it('[I26] shows the current thread, and another branch when its link is followed', async () => {
    const browser = opened(await page());
    expect(browser.shown()).toEqual(['m1', 'm4']);
    expect(browser.marked()).toEqual(['#m1', '#m4']);
    expect(browser.go('#m2')).toEqual(['m1', 'm2', 'm3']);
    expect(browser.marked()).toEqual(['#m1', '#m2']);
    expect(browser.go('#m4')).toEqual(['m1', 'm4']);
    // A link to a message shows the path through it down to the last visited leaf.
    expect(browser.go('#m1')).toEqual(['m1', 'm4']);
    expect(browser.go('#nowhere')).toEqual(['m1', 'm4']);
  });

  it('[I26] has links from variant to variant, and formats code', async () => {
    const text = await page();
    expect(text).toContain('<a href="#m4" title="Previous variant">‹</a> 1/2 <a href="#m4" title="Next variant">›</a>');
    expect(text).toContain('<pre>boil(&#34;&#60;b&#62;&#34;)</pre>\n<p>Done.</p>');
  });

  it('[I27] runs only its own script, whatever the messages contain, and loads nothing', async () => {
    const text = await page();
    expect(text.match(/<script/g)?.length).toBe(1);
    expect(text).not.toContain('onerror=alert(2)>');
    expect(text).not.toMatch(/<img src=x/);
    expect(text.match(/<img /g)?.length).toBe(1);
    expect(text).not.toMatch(/(?:src|href)="(?!data:image\/png|#)/);
    const { script } = opened(text);
    const hash = createHash('sha256').update(script).digest('base64');
    expect(text).toContain(`script-src &#39;sha256-${hash}&#39;`);
  });
});
