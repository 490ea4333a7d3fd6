/** Checks the files that a hosting service reads: workflows, templates, dependency updates, the security policy. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectAddresses } from '../scripts/project-addresses.ts';
import { openRepository, workspaceRoot } from './checks/workspace.ts';

function read(path: string): string {
  return readFileSync(join(workspaceRoot, path), 'utf8');
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly 'runs-on': string;
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = '.github/workflows';
const files = readdirSync(join(workspaceRoot, folder));

function readWorkflow(file: string): Workflow {
  return parse(read(join(folder, file)));
}

function linesOf(job: Job | undefined): string {
  return (job?.steps ?? []).map(({ run }) => run ?? '').join('\n');
}

test.each(files)(
  '%s runs scripts that exist, with actions of a fixed version, and can write nothing by default',
  (file) => {
    const { scripts } = JSON.parse(read('package.json'));
    const { jobs, permissions } = readWorkflow(file);
    expect(permissions['contents']).toBe('read');
    for (const job of Object.values(jobs)) {
      for (const { uses, with: inputs } of job.steps) {
        // A tag can be moved to other code, a commit cannot.
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40}$/);
        // Later steps run code of the change, which must not find the token of the checkout.
        if (uses?.startsWith('actions/checkout@') === true) expect(inputs?.['persist-credentials']).toBe(false);
      }
      for (const [, name] of linesOf(job).matchAll(/npm run (?:--silent )?([\w:]+)/g))
        expect(scripts).toHaveProperty([name ?? '']);
      // Secrets are passed to a shell as variables, never as text of the line.
      expect(linesOf(job)).not.toContain('${{');
    }
  },
);

test('every change is checked and tested on three systems and measured; the full tests run at night', () => {
  const { on, jobs } = readWorkflow('test.yml');
  expect(Object.keys(on)).toEqual(expect.arrayContaining(['push', 'pull_request', 'schedule']));
  expect(linesOf(jobs['check'])).toContain('npm run check');
  expect(jobs['fast']?.strategy?.matrix.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  expect(linesOf(jobs['fast'])).toContain('npm test');
  expect(jobs['full']?.if).toContain('schedule');
  expect(linesOf(jobs['full'])).toContain('npm run test:full');
  expect(jobs['outside']?.if).toContain('schedule');
  expect(linesOf(jobs['outside'])).toContain('npm run test:outside');
  expect(jobs['bench']?.if).toContain('pull_request');
  expect(linesOf(jobs['bench'])).toMatch(/bench -- core[\s\S]*gh pr comment/);
  expect(jobs['bench']?.permissions).toEqual({ contents: 'read', 'pull-requests': 'write' });
});

test('a tag publishes with provenance', () => {
  const { on, permissions, jobs } = readWorkflow('release.yml');
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(permissions['id-token']).toBe('write');
  expect(linesOf(jobs['publish'])).toContain('npm run release -- --publish');
  // Without a registry URL npm writes no configuration that uses the token.
  expect(jobs['publish']?.steps.some((step) => step.with?.['registry-url'] !== undefined)).toBe(true);
  expect(jobs['publish']?.steps.some((step) => step.with?.['cache'] !== undefined)).toBe(false);
});

test('vulnerabilities are reported in private, bugs with the output of doctor, and no person or address is invented', () => {
  expect(read('SECURITY.md')).toContain('private vulnerability reporting');
  expect(read('.github/ISSUE_TEMPLATE/bug.yml')).toContain('coppice doctor --report');
  expect(read('.github/pull_request_template.md')).toContain('npm run check');
  const { updates } = parse(read('.github/dependabot.yml'));
  expect(updates.map((each: { 'package-ecosystem': string }) => each['package-ecosystem'])).toEqual([
    'npm',
    'github-actions',
  ]);
  const contact = read('.github/ISSUE_TEMPLATE/config.yml');
  for (const [address] of contact.matchAll(/https:\/\/\S+/g))
    expect(address.startsWith(projectAddresses.repository)).toBe(true);
  const hosted = readdirSync(join(workspaceRoot, '.github'), { recursive: true, encoding: 'utf8' });
  const published = [
    ...openRepository().paths,
    ...hosted.map((path) => `.github/${path.replaceAll('\\', '/')}`),
  ].filter((path) => /\.(?:md|ya?ml)$|(?:^|\/)(?:package\.json|LICENSE)$/.test(path) && !path.includes('/fixtures/'));
  for (const path of ['LICENSE', 'SECURITY.md', '.github/ISSUE_TEMPLATE/config.yml', 'packages/cli/package.json'])
    expect(published).toContain(path);
  const addressed = published.filter((path) => /[\w.+-]+@[\w-]+\.[a-z]{2,}/i.test(read(path)));
  expect(addressed).toEqual([]);
  for (const path of published.filter((each) => each.endsWith('package.json')))
    for (const key of ['author', 'contributors', 'maintainers', 'funding'])
      expect(JSON.parse(read(path))).not.toHaveProperty(key);
});

test('an editor, git and a development container find their settings', () => {
  expect(read('.gitattributes')).toContain('* text=auto eol=lf');
  expect(read('.editorconfig')).toContain('max_line_length = 120');
  const { image, postCreateCommand, forwardPorts } = JSON.parse(read('.devcontainer/devcontainer.json'));
  expect(image).toMatch(/:\d+$/);
  expect(postCreateCommand).toBe('npm ci');
  expect(read('packages/cli/src/default-port.ts')).toContain(`= ${forwardPorts[0]};`);
});
