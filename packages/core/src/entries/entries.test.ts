import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;
const entries = [
  ['.', join(folder, '..', 'index.ts')],
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => [`./${name.slice(0, -3)}`, join(folder, name)]),
] as const;

/**
 * Returns the exported names of an entry, with types marked. Throws if the entry contains anything but export lists.
 */
function namesIn(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const names: string[] = [];
  const rest = text.replace(
    /export (type )?\{([^}]*)\} from '[^']+';/g,
    (_, type: string | undefined, list: string) => {
      for (const name of list.split(',').map((part) => part.trim()))
        if (name !== '') names.push(type === undefined ? name : `type ${name}`);
      return '';
    },
  );
  expect(rest.trim()).toBe('');
  return names.sort();
}

test('[N26] each entry exports exactly the names in its list', () => {
  const lists = entries.map(
    ([entry, path]) =>
      `${entry}\n${namesIn(path)
        .map((name) => `  ${name}\n`)
        .join('')}`,
  );
  expect(lists.join('\n')).toMatchSnapshot();
});

test('[N26] two entries that export the same name take it from one module', () => {
  const homes = new Map<string, string>();
  for (const [, path] of entries)
    for (const [, list = '', from = ''] of readFileSync(path, 'utf8').matchAll(
      /export (?:type )?\{([^}]*)\} from '([^']+)';/g,
    ))
      for (const name of list.split(',').map((part) => part.trim().replace(/^type /, ''))) {
        if (name === '') continue;
        const home = from.replace(/^\.{1,2}\//, '');
        expect([name, homes.get(name) ?? home]).toEqual([name, home]);
        homes.set(name, home);
      }
});

test('[N26] a value is listed by one entry, and a type by the main one', () => {
  const names = new Map<string, string>();
  for (const [entry, path] of entries)
    for (const name of namesIn(path)) {
      if (name.includes('type ')) expect([name, entry]).toEqual([name, '.']);
      expect([name, names.get(name)]).toEqual([name, undefined]);
      names.set(name, entry);
    }
});
