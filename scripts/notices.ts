/** Collects the licences of dependencies that are bundled into a package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Installed {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Returns the folder of an installed package, searched in a folder and all folders above it. */
function folderOf(name: string, from: string): string | null {
  for (let at = from; ; at = dirname(at)) {
    const found = join(at, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (at === dirname(at)) return null;
  }
}

/**
 * Returns name, version and licence of all direct and indirect dependencies of a package, except our own packages.
 * `only` limits the direct dependencies.
 */
export function buildLicenceNotices(folder: string, only?: readonly string[]): string {
  const found = new Map<string, string>();
  const open = [folder];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { dependencies = {} }: Installed = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) {
      if (at === folder && only?.includes(name) === false) continue;
      const place = folderOf(name, at);
      if (place === null || found.has(place)) continue;
      // Our own packages are bundled with their dependencies. Their licence is included separately.
      found.set(place, name.startsWith('@coppice/') ? '' : noticeOf(place));
      open.push(place);
    }
  }
  return `${[...found.values()]
    .filter((notice) => notice !== '')
    .sort()
    .join('\n\n')}\n`;
}

function noticeOf(place: string): string {
  const {
    name,
    version,
    license = 'see its text',
  }: Installed = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const files = readdirSync(place).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.map((file) => readFileSync(join(place, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
}
