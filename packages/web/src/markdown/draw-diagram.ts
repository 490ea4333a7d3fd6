/**
 * Draws diagrams in a sandboxed frame, so that neither the library nor a model's text runs in the page: the frame has
 * no origin and no network, and its result is shown as an image. A separate module, loaded with the first diagram.
 */
import libraryAddress from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import { pageHost } from '../state/page-host.ts';
import { mindmapToFlowchart } from './mindmap.ts';

/** A drawn diagram with its natural width in pixels, or why it could not be drawn. */
export type DrawnDiagram = { readonly svg: string; readonly width: number | null } | { readonly problem: string };

/** Names variables with a number: `numbered('pie', 1, 2, …)` is `pie1` and `pie2`. */
function numbered(name: string, first: number, count: number, valueAt: (index: number) => string) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${first + index}`, valueAt(index)]));
}

// Drawn in greys: colours have other meanings on the page.
function settingsFor(dark: boolean): Readonly<Record<string, unknown>> {
  const [ink, quiet, line, paper, surface] = dark
    ? ['#e8ebe4', '#c0c7c0', '#8a938c', '#232a26', '#2c3430']
    : ['#1d2620', '#46504a', '#7a847c', '#fcfdfb', '#eff1ed'];
  // The fills of charts: neighbouring parts differ, and text in the colour of `ink` is readable on each of them.
  const steps = dark ? ['#3a443e', '#4f5a53', '#2c3430', '#5f6b63'] : ['#d9ddd6', '#c2c9c1', '#eff1ed', '#aeb7af'];
  const stepAt = (index: number) => steps[index % steps.length] ?? surface;
  const inkAt = () => ink;
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    theme: 'base',
    darkMode: dark,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    fontFamily: 'system-ui, sans-serif',
    maxTextSize: 30_000,
    // By default the labels of lines are half transparent, so that the line crosses the words.
    themeCSS: '.edgeLabel rect { opacity: 1 }',
    themeVariables: {
      darkMode: dark,
      background: paper,
      primaryColor: surface,
      primaryTextColor: ink,
      primaryBorderColor: line,
      secondaryColor: paper,
      tertiaryColor: surface,
      lineColor: quiet,
      textColor: ink,
      noteBkgColor: surface,
      noteTextColor: ink,
      noteBorderColor: line,
      edgeLabelBackground: paper,
      clusterBkg: paper,
      clusterBorder: line,
      fontSize: '14px',
      ...numbered('pie', 1, 12, stepAt),
      pieTitleTextSize: '16px',
      pieSectionTextSize: '14px',
      pieStrokeColor: line,
      pieOuterStrokeColor: line,
      pieStrokeWidth: '1px',
      pieOuterStrokeWidth: '1px',
      pieOpacity: '1',
      pieSectionTextColor: ink,
      pieLegendTextColor: ink,
      pieTitleTextColor: ink,
      ...numbered('cScale', 0, 12, stepAt),
      ...numbered('cScaleLabel', 0, 12, inkAt),
      ...numbered('git', 0, 8, stepAt),
      ...numbered('gitBranchLabel', 0, 8, inkAt),
      commitLabelColor: ink,
      commitLabelBackground: paper,
      ...numbered('fillType', 0, 8, stepAt),
      ...numbered('actor', 0, 6, stepAt),
      xyChart: { plotColorPalette: [quiet, line, steps[1]].join(', ') },
      quadrantPointFill: quiet,
      quadrantPointTextFill: ink,
    },
  };
}

type Answer = { readonly id: number; readonly svg?: string; readonly problem?: string };

function isAnswer(data: unknown): data is Answer {
  return typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'number';
}

/** Reads the width of a drawing from its view box, because its width attribute is a percentage. */
function widthOf(svg: string): number | null {
  const width = Number(/^<svg[^>]*?viewBox="[-\d.e]+ [-\d.e]+ ([\d.]+)/.exec(svg)?.[1]);
  return width > 0 ? Math.ceil(width) : null;
}

const waiting = new Map<number, (drawn: DrawnDiagram) => void>();
let frame: Promise<HTMLIFrameElement> | null = null;
let lastId = 0;

async function openFrame(): Promise<HTMLIFrameElement> {
  const response = await fetch(libraryAddress);
  if (!response.ok) throw new Error(`${response.status}`);
  const library = await response.text();
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts');
  element.setAttribute('aria-hidden', 'true');
  element.tabIndex = -1;
  element.title = 'Mermaid';
  element.className = 'diagram-frame';
  element.src = `${pageHost.files}/frames/diagram.html`;
  await new Promise<void>((resolve) => {
    addEventListener('message', (event) => {
      if (event.source !== element.contentWindow) return;
      if (event.data === 'ready') {
        element.contentWindow?.postMessage({ library }, '*');
        resolve();
      } else if (isAnswer(event.data)) {
        const { id, svg, problem } = event.data;
        waiting.get(id)?.(typeof svg === 'string' ? { svg, width: widthOf(svg) } : { problem: String(problem ?? '') });
        waiting.delete(id);
      }
    });
    document.body.append(element);
  });
  return element;
}

/** Draws a diagram. Rejects if the library cannot be loaded; an invalid diagram returns the reason. */
export async function drawDiagram(text: string, dark: boolean): Promise<DrawnDiagram> {
  frame ??= openFrame();
  let opened: HTMLIFrameElement;
  try {
    opened = await frame;
  } catch (thrown) {
    frame = null;
    throw thrown;
  }
  const id = ++lastId;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    opened.contentWindow?.postMessage({ id, text: mindmapToFlowchart(text) ?? text, settings: settingsFor(dark) }, '*');
  });
}
