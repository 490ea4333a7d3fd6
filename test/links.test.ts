/** Checks the links, pictures, commands and counts of README and documents against the repository. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { subcommands } from '@coppice/cli';
import { expect, test } from 'vitest';
import { anchorOf } from '../site/html.ts';
import { openRepository, workspaceRoot } from './checks/workspace.ts';

const workspace = openRepository();
const pages = workspace.paths.filter(
  (path) => path.endsWith('.md') && !/\/fixtures\//.test(path) && !/(?:^|\/)SPEC\.md$/.test(path),
);

/** Returns the text of a page without code and comments. */
function proseOf(page: string): string {
  return workspace
    .read(page)
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^\s*(```|~~~)[\s\S]*?^\s*\1/gm, '');
}

/** Returns the anchors of a page as GitHub makes them: a repeated heading gets a number. */
function anchorsOf(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6}\s+(.+?)\s*$/gm)) {
    const plain = anchorOf(heading.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, ''));
    const count = seen.get(plain) ?? 0;
    seen.set(plain, count + 1);
    anchors.add(count === 0 ? plain : `${plain}-${count}`);
  }
  return anchors;
}

test('every link and picture of a document leads to a file of the repository and to a section of it', () => {
  const wrong: string[] = [];
  let count = 0;
  for (const page of pages) {
    const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '');
    for (const [, href = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:https?|mailto):/.test(href)) continue;
      count += 1;
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? page : posix.join(posix.dirname(page), path);
      if (!existsSync(join(workspaceRoot, target))) wrong.push(`${page}: ${href} does not exist`);
      else if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor))
        wrong.push(`${page}: ${href} has no such section`);
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(150);
});

test('every subcommand that a document names in code exists', () => {
  const known = new Set(['help', ...subcommands.map(({ name }) => name)]);
  const wrong: string[] = [];
  for (const page of pages.filter((path) => !path.startsWith('docs/decisions/')))
    for (const [code, name = ''] of workspace.read(page).matchAll(/(?<=`|^|npx )coppice ([a-z][a-z-]+)(?=[ `\n]|$)/gm))
      if (!known.has(name)) wrong.push(`${page}: ${code}`);
  expect(wrong).toEqual([]);
});

test('every picture of the documents is used', () => {
  const used = new Set(
    pages.flatMap((page) =>
      [...workspace.read(page).matchAll(/\]\(([^)\s]+\.(?:png|svg))\)/g)].map(([, href = '']) =>
        posix.join(posix.dirname(page), href),
      ),
    ),
  );
  const pictures = workspace.paths.filter((path) => /^docs\/.*\.(?:png|svg)$/.test(path));
  expect(pictures.filter((path) => !used.has(path))).toEqual([]);
});
