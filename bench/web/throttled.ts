/**
 * Measures how smooth the page is on a slow machine: the longest task and the dropped frames while somebody types,
 * scrolls and receives a reply, with a processor slowed down four times. An empty page does the same for comparison.
 */
import { setTimeout } from 'node:timers/promises';
import type { PageFixture } from '@coppice/web/testing';
import type { Page } from 'playwright-core';
import type { Measurement } from '../measure.ts';

/** The factor by which the browser slows the processor down. */
const slowdown = 4;
const sentence = 'What does the third message of this chat say about it? ';

/** What the browser reported while something was done. */
interface Smoothness {
  /** The longest task of the main thread in milliseconds. The browser reports those over 50 ms, so 0 means none. */
  readonly longestMs: number;
  /** The share of frames of a display with 60 Hz in which nothing could be drawn. */
  readonly dropped: number;
}

const startWatching = `(() => {
  const watch = { tasks: [], frames: 0, from: performance.now() };
  globalThis.watch = watch;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.startTime >= watch.from) watch.tasks.push(entry.duration);
  }).observe({ type: 'longtask' });
  const step = () => {
    if (globalThis.watch !== watch) return;
    watch.frames++;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})()`;

const stopWatching = `(() => {
  const { tasks, frames, from } = globalThis.watch;
  globalThis.watch = undefined;
  const wanted = (performance.now() - from) * 60 / 1000;
  return { longestMs: Math.max(0, ...tasks), dropped: Math.max(0, 1 - frames / wanted) };
})()`;

async function watchDuring(page: Page, work: () => Promise<void>): Promise<Smoothness> {
  await page.evaluate(startWatching);
  await work();
  // The browser reports a task only after it has ended.
  await setTimeout(300);
  return page.evaluate(stopWatching);
}

async function type(page: Page): Promise<void> {
  for (const character of sentence) {
    await page.keyboard.type(character);
    await setTimeout(30);
  }
}

async function wheel(page: Page): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    await page.mouse.wheel(0, turn % 20 < 14 ? -240 : 240);
    await setTimeout(16);
  }
}

/** A page with a text field, a long list and a text that grows: what the browser itself needs for the same work. */
const emptyPage = `<!doctype html><textarea aria-label="Message"></textarea>
<div style="height: 600px; overflow: auto">${'<p>One line of a list.</p>'.repeat(400)}</div><p id="reply"></p>
<script>
  document.querySelector('textarea').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    let left = 100;
    const timer = setInterval(() => {
      document.querySelector('#reply').append('some words of a reply ');
      if (--left === 0) clearInterval(timer);
    }, 20);
  });
</script>`;

/** A reply of 100 pieces, one every 20 ms. */
export const streamedReply = [
  ...Array.from({ length: 100 }, (_, at) => [
    { type: 'wait' as const, ms: 20 },
    { type: 'text-delta' as const, text: at % 20 === 19 ? 'reply.\n\n' : 'some words of a ' },
  ]).flat(),
  { type: 'end' as const, finishReason: 'stop' as const, raw: 'stop' },
];

type Steps = { readonly [name: string]: Smoothness };

/** Types into a field, scrolls and lets a reply arrive. */
async function useThePage(page: Page, field: string, reply: () => Promise<void>): Promise<Steps> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.getByLabel(field, { exact: true }).click();
  const typed = await watchDuring(page, () => type(page));
  await page.mouse.move(700, 420);
  const scrolled = await watchDuring(page, () => wheel(page));
  await page.getByLabel(field, { exact: true }).click();
  const streamed = await watchDuring(page, reply);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return { typing: typed, scrolling: scrolled, 'a reply arrives': streamed };
}

/** The longest task that a person does not notice much, on a slow machine. */
const longestTaskMs = 200;

function rowsOf(where: string, ours: Steps, empty: Steps): Measurement[] {
  return Object.entries(ours).flatMap(([name, { longestMs, dropped }]): Measurement[] => {
    const work = `${name}, ${where}, processor slowed ${slowdown} times`;
    const base = empty[name];
    return [
      { work, by: 'longest task, empty page', value: (base?.longestMs ?? 0) * 1000, unit: 'µs' },
      {
        work,
        by: 'longest task, coppice',
        value: longestMs * 1000,
        unit: 'µs',
        ratio: longestMs / longestTaskMs,
        budget: `≤ 1× of ${longestTaskMs} ms`,
        kept: longestMs <= longestTaskMs,
      },
      { work, by: 'dropped frames, empty page', value: (base?.dropped ?? 0) * 100, unit: '%' },
      { work, by: 'dropped frames, coppice', value: dropped * 100, unit: '%' },
    ];
  });
}

/** Measures a thread and a map of the same tree; the scripted model must answer with {@link streamedReply}. */
export async function measureThrottled(fixture: PageFixture, tree: string): Promise<readonly Measurement[]> {
  const { server, url } = fixture;
  const { page } = await fixture.open('/');
  await page.goto('about:blank');
  await page.setContent(emptyPage);
  const replyMs = 2_600;
  const send = async () => {
    await page.keyboard.press('Enter');
    await setTimeout(replyMs);
  };
  const empty = await useThePage(page, 'Message', send);
  await page.goto(`${url}/t/${tree}`);
  await page.locator('[data-testid=thread] article').first().waitFor();
  await page.waitForTimeout(1_000);
  const thread = await useThePage(page, 'Message', send);
  await page.goto(`${url}/t/${tree}?view=map`);
  await page.locator('.branches button').first().waitFor();
  await page.waitForTimeout(1_000);
  const map = await useThePage(page, 'Find on the map', async () => {
    const { version } = (await server.ask('GET', `/api/trees/${tree}`)).body;
    const { status, body } = await server.ask('POST', `/api/trees/${tree}/generations`, {
      version,
      body: { type: 'send', messages: [{ role: 'user', content: 'And now?' }], models: ['scripted/one'] },
    });
    if (status >= 300) throw new Error(`The reply was refused: ${JSON.stringify(body)}`);
    await setTimeout(replyMs);
  });
  return [...rowsOf('a thread among 10,000 messages', thread, empty), ...rowsOf('a map of 10,000', map, empty)];
}
