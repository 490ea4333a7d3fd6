// @module-tag full
/** Checks the Dockerfile, the Compose files and the configurations of reverse proxies without Docker. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { subcommands } from '@coppice/cli';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  checkCompose,
  checkDockerfile,
  findRequiredVariables,
  parseExecForm,
  readCompose,
  readDockerfile,
} from './checks/container.ts';
import { openRepository, workspaceRoot } from './checks/workspace.ts';

const workspace = openRepository();
const dockerfile = workspace.read('Dockerfile');
const composeFiles = ['deploy/compose.sqlite.yaml', 'deploy/compose.postgres.yaml'];
const guide = workspace.read('docs/guides/deploy.md');

/** Returns the options in a command that `coppice serve` does not have. */
function unknownOptions(words: readonly string[]): readonly string[] {
  const [name, ...rest] = words;
  const serve = subcommands.find((each) => each.name === name);
  const known = new Set(serve?.options?.map((option) => `--${option.name}`));
  return rest.filter((word) => word.startsWith('--') && !known.has(word));
}

test('the image is built in stages, runs as a user, and has a volume and a health check', () => {
  expect(checkDockerfile(dockerfile)).toEqual([]);
});

test('the image starts a command that exists, with a Node that the packages support', () => {
  const instructions = readDockerfile(dockerfile);
  const wordsOf = (name: string) =>
    parseExecForm(instructions.findLast((each) => each.name === name)?.text ?? '') ?? [];
  expect(wordsOf('CMD')[0]).toBe('serve');
  expect(unknownOptions(wordsOf('CMD'))).toEqual([]);
  const [, program = ''] = wordsOf('ENTRYPOINT');
  expect(existsSync(join(workspaceRoot, 'packages/cli', program.replace('/app/node_modules/coppice/', '')))).toBe(true);
  const scripts = JSON.parse(workspace.read('package.json')).scripts;
  for (const [, script] of dockerfile.matchAll(/npm run (\w+)/g)) expect(scripts).toHaveProperty([script ?? '']);
  for (const [, major] of dockerfile.matchAll(/^FROM node:(\d+)/gm)) expect(Number(major)).toBeGreaterThanOrEqual(22);
  const ignored = readFileSync(join(workspaceRoot, '.dockerignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', '**/node_modules']));
});

test.each(composeFiles)(
  '%s runs Coppice with a read-only root and no privileges, and has a version of every image',
  (path) => {
    const text = workspace.read(path);
    expect(checkCompose(text)).toEqual([]);
    const services = readCompose(text);
    const { version } = JSON.parse(workspace.read('package.json'));
    const own = services.filter(({ image }) => image === `coppice:${version}`);
    expect(own).toHaveLength(path.includes('postgres') ? 2 : 1);
    for (const { command } of own) expect(unknownOptions(command)).toEqual([]);
    const { volumes } = parse(text);
    for (const { fields } of services)
      for (const volume of Object.values(fields['volumes'] ?? {})) {
        const [from = ''] = String(volume).split(':');
        expect(from.startsWith('./') ? workspace.has(`deploy/${from.slice(2)}`) : from in volumes).toBe(true);
      }
  },
);

test.each(composeFiles)('%s asks for variables that the guide explains', (path) => {
  const names = findRequiredVariables(workspace.read(path));
  expect(names.size).toBeGreaterThan(0);
  for (const name of names) expect(guide).toContain(`| \`${name}\` |`);
});

test('the proxies name both servers, keep the host and do not buffer streams', () => {
  const servers = readCompose(workspace.read('deploy/compose.postgres.yaml')).filter(({ image }) =>
    image.startsWith('coppice:'),
  );
  const caddy = readFileSync(join(workspaceRoot, 'deploy/Caddyfile'), 'utf8');
  for (const { name } of servers) expect(caddy).toContain(`${name}:4747`);
  expect(caddy).toContain('flush_interval -1');
  const nginx = workspace.read('deploy/nginx.conf');
  for (const line of [
    'proxy_set_header Host $host;',
    'proxy_set_header X-Forwarded-Proto https;',
    'proxy_buffering off;',
  ])
    expect(nginx).toContain(line);
  for (const text of [caddy, nginx]) expect(text.split('{').length).toBe(text.split('}').length);
});

test('faulty files are found', () => {
  expect(checkDockerfile('FROM node\nENV API_KEY=x\nCMD npm start\n')).toEqual([
    'There is only one stage.',
    'node has no version.',
    'The image runs as root.',
    'There is no volume /data.',
    'The home directory is not on the volume.',
    'There is no port.',
    'There is no health check of /healthz.',
    'ENTRYPOINT is not in exec form.',
    'CMD is not in exec form.',
    'ENV API_KEY=x is a secret.',
  ]);
  const open = 'services: { a: { image: "coppice:1.0", restart: unless-stopped, ports: ["4747:4747"] } }';
  expect(checkCompose(open)).toEqual([
    'a: the root is not read-only.',
    'a: there is no /tmp.',
    'a: capabilities are kept.',
    'a: it may gain privileges.',
    'a: there is no volume at /data.',
    'a: it is open to others without TLS.',
  ]);
  expect(() => findRequiredVariables('x: ${TOKEN}')).toThrow('may be missing');
  expect(unknownOptions(['serve', '--port', '1', '--sudo'])).toEqual(['--sudo']);
});
