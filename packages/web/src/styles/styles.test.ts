import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;
const sheets = readdirSync(folder)
  .filter((name) => name.endsWith('.css') && name !== 'tokens.css' && name !== 'fonts.css')
  .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, ''));

function sourcesBelow(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const below = join(path, entry.name);
    if (entry.isDirectory()) return entry.name === 'i18n' ? [] : sourcesBelow(below);
    return /(?<!\.test)\.tsx?$/.test(entry.name) ? [readFileSync(below, 'utf8')] : [];
  });
}

function classesOf(selector: string): readonly string[] {
  return [...selector.matchAll(/\.([A-Za-z_][\w-]*)/g)].map((match) => match[1] ?? '');
}

test('[B111] every class of the style sheets has a plain name and is used by the page', () => {
  const source = sourcesBelow(join(folder, '..')).join('\n');
  const words = new Set(source.match(/[A-Za-z_][\w-]*/g));
  // Composed class names, such as `hl-${look}`.
  const prefixes = [...source.matchAll(/([a-z]\w*-)\$\{/g)].map((match) => match[1] ?? '');
  const selectors = sheets.flatMap((sheet) => sheet.match(/[^{};]+(?=\{)/g) ?? []);
  const classes = new Set(selectors.flatMap(classesOf));
  expect([...classes].filter((name) => name.length === 1)).toEqual([]);
  const isUsed = (name: string) => words.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  expect([...classes].filter((name) => !isUsed(name))).toEqual([]);
});

test('[B111] space and type sizes come from the tokens', () => {
  const raw: string[] = [];
  for (const sheet of sheets) {
    // A hairline is not spacing.
    for (const [whole, value = ''] of sheet.matchAll(/(?:padding|margin|gap)[\w-]*\s*:\s*([^;{}]+)/g))
      if (/(?<![\w.])(?!1px)\d+(?:\.\d+)?px/.test(value)) raw.push(whole);
    for (const [whole] of sheet.matchAll(/font-size\s*:\s*[\d.]+(?:px|rem)/g)) raw.push(whole);
  }
  expect(raw).toEqual([]);
});

test('[B282] nothing is placed by left or right, except on the map, in the middle and in tables that say so', () => {
  const physical =
    /(?<![\w-])(?:(?:margin|padding|border|inset)-(?:left|right)[\w-]*|left|right)\s*:[^;{}]*|text-align\s*:\s*(?:left|right)|border-(?:top|bottom)-(?:left|right)-radius[^;{}]*/g;
  const allowed = [
    /^\.(?:branches|minimap|zoom|legend|preview)$/,
    /^\.map-cards/,
    /^\.(?:below|toasts)$/,
    /^\.body \.to-right$/,
  ];
  const found: string[] = [];
  for (const sheet of sheets)
    for (const [, selector = '', body = ''] of sheet.matchAll(/([^{};]+)\{([^{}]*)\}/g)) {
      const place = selector.trim();
      const uneven = [...body.matchAll(/(?<![\w-])(?:margin|padding|inset)\s*:\s*([^;]+)/g)].filter(
        ([, value = '']) => {
          const [, second, , fourth] = value.trim().match(/(?:[^\s(]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];
          return fourth !== undefined && second !== fourth;
        },
      );
      if (allowed.some((each) => each.test(place))) continue;
      found.push(...[...(body.match(physical) ?? []), ...uneven.map(String)].map((line) => `${place} { ${line} }`));
    }
  expect(found).toEqual([]);
});
