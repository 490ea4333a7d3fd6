/** Rewrites Mermaid mind maps as flowcharts, because the small build of the library draws no mind maps. */

interface Topic {
  readonly id: string;
  readonly depth: number;
  readonly open: string;
  readonly close: string;
  readonly words: string;
}

// The shapes of mind maps, with those of flowcharts that look like them.
const shapes: readonly (readonly [RegExp, string, string])[] = [
  [/^[^\s([{)]*\(\(([\s\S]+)\)\)$/, '((', '))'],
  [/^[^\s([{)]*\{\{([\s\S]+)\}\}$/, '{{', '}}'],
  [/^[^\s([{)]*\)\)([\s\S]+)\(\($/, '([', '])'],
  [/^[^\s([{)]*\)([\s\S]+)\($/, '([', '])'],
  [/^[^\s([{)]*\(([\s\S]+)\)$/, '(', ')'],
  [/^[^\s([{)]*\[([\s\S]+)\]$/, '[', ']'],
];

function parseTopic(line: string, index: number): Topic {
  const depth = (/^\s*/.exec(line)?.[0] ?? '').replaceAll('\t', '    ').length;
  const text = line.trim();
  const found = shapes.find(([pattern]) => pattern.test(text));
  const [open, close] = found === undefined ? ['(', ')'] : [found[1], found[2]];
  const words = (found?.[0].exec(text)?.[1] ?? text).replace(/^"`?([\s\S]*?)`?"$/, '$1').replaceAll('"', '#quot;');
  return { id: `t${index}`, depth, open, close, words };
}

/** Returns the flowchart of a mind map; null for any other diagram. */
export function mindmapToFlowchart(diagram: string): string | null {
  const lines = diagram.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('%%'));
  if (lines[0]?.trim() !== 'mindmap') return null;
  const out = ['flowchart LR'];
  const above: Topic[] = [];
  for (const [index, line] of lines.slice(1).entries()) {
    // Icons and classes belong to the topic before them.
    if (/^\s*:::?/.test(line)) continue;
    const topic = parseTopic(line, index);
    while ((above.at(-1)?.depth ?? -1) >= topic.depth) above.pop();
    const parent = above.at(-1);
    const node = `${topic.id}${topic.open}"${topic.words}"${topic.close}`;
    out.push(parent === undefined ? node : `${parent.id} --- ${node}`);
    above.push(topic);
  }
  return out.length === 1 ? null : out.join('\n');
}
