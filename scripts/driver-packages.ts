/**
 * Builds the packages of the SQLite driver, one for each system. `@photostructure/sqlite` contains 10 MB of C sources
 * and the binaries of all systems. These packages contain the same files for one system each, and npm installs at most
 * one of them. The reasons are in docs/decisions/one-driver-per-system.md.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectAddresses } from './project-addresses.ts';
import { repositoryRoot } from './tools.ts';

const driver = '@photostructure/sqlite';
const source = join(repositoryRoot, 'node_modules', driver);

/**
 * The versions of Node that have no SQLite or too old a one. On other versions npm skips the package, because its
 * engines do not match.
 */
const nodesWithoutSqlite = '>=20.19 <22.23 || >=23 <24.21 || >=25 <26';

/** Returns the systems that the driver is built for, such as `linux-x64`. */
export function listDriverSystems(): readonly string[] {
  return readdirSync(join(source, 'prebuilds')).sort();
}

/** Returns the system of this computer as a list; empty if the driver is not built for it. */
export function listOwnDriverSystem(): readonly string[] {
  return listDriverSystems().filter((system) => system === `${process.platform}-${process.arch}`);
}

/** Returns the name of the package for a system, by which the stores look it up. */
export function driverPackageName(system: string): string {
  return `@coppice/sqlite-${system}`;
}

/** Returns the dependencies of the published command that replace the driver. */
export function listDriverDependencies(version: string): Readonly<Record<string, string>> {
  return Object.fromEntries(listDriverSystems().map((system) => [driverPackageName(system), version]));
}

/** Returns dependencies without the driver. */
export function removeDriverDependency(
  dependencies: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  return dependencies.filter(([name]) => name !== driver);
}

/** Builds the driver packages into a folder; returns the folder of each. */
export function buildDriverPackages(into: string, systems: readonly string[] = listDriverSystems()): readonly string[] {
  const original: {
    readonly version: string;
    readonly main: string;
    readonly dependencies: Readonly<Record<string, string>>;
  } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'packages/cli/package.json'), 'utf8'));
  return systems.map((system) => {
    const target = join(into, `sqlite-${system}`);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const part of ['dist', 'LICENSE', join('prebuilds', system)])
      cpSync(join(source, part), join(target, part), {
        recursive: true,
        filter: (path) => !/\.(?:map|d\.[cm]?ts)$/.test(path),
      });
    const [os = '', cpu = ''] = system.split('-');
    const manifest = {
      name: driverPackageName(system),
      version,
      description: `${driver} ${original.version} for ${system}, without sources and other systems.`,
      keywords: ['sqlite', 'driver', 'coppice'],
      license: 'MIT',
      repository: { type: 'git', url: `git+${projectAddresses.repository}.git` },
      homepage: projectAddresses.repository,
      bugs: { url: projectAddresses.bugs },
      os: [os],
      cpu: [cpu],
      engines: { node: nodesWithoutSqlite },
      main: original.main,
      files: ['dist', 'prebuilds'],
      // The package that finds the binary of the system. It is small and has no dependencies.
      dependencies: { 'node-gyp-build': original.dependencies['node-gyp-build'] },
      publishConfig: { access: 'public', provenance: true },
    };
    writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    writeFileSync(
      join(target, 'README.md'),
      `# ${manifest.name}\n\n[${driver}](https://www.npmjs.com/package/${driver}) ${original.version}, unchanged, for ${system} only. Coppice uses it on versions of Node whose own SQLite is missing or too old. Use the original in your own programs.\n`,
    );
    return target;
  });
}
