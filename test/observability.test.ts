/** Compares the metrics of a server with their documentation and with the Grafana dashboard. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@coppice/engine';
import { createServer } from '@coppice/server';
import { openStore } from '@coppice/stores';
import { expect, onTestFinished, test } from 'vitest';
import { openRepository, workspaceRoot } from './checks/workspace.ts';

const page = 'docs/guides/observe.md';
const workspace = openRepository();

async function openMetrics() {
  const store = await openStore('memory:');
  const server = createServer({ store, config: parseConfig(null, {}), auth: { mode: 'token', token: 'a-long-token' } });
  onTestFinished(() => server.close());
  const headers = { authorization: 'Bearer a-long-token' };
  await server.fetch(new Request('http://localhost/healthz'));
  const response = await server.fetch(new Request('http://localhost/metrics', { headers }));
  return { text: await response.text(), described: server.services.metrics.described };
}

test('the table of metrics matches the response of a server', async () => {
  const { described, text } = await openMetrics();
  const rows = described.map(({ name, kind, help }) => `| \`${name}\` | ${kind} | ${help} |`);
  const table = ['| Metric | Kind | What it counts |', '| --- | --- | --- |', ...rows].join('\n');
  const old = workspace.read(page);
  const renewed = old.replace(/(?<=<!-- metrics -->\n)[\s\S]*?(?=\n<!-- end -->)/, () => table);
  // COPPICE_WRITE_DOCS=1 npx vitest run test/observability.test.ts writes the page.
  if (process.env['COPPICE_WRITE_DOCS'] === '1') writeFileSync(join(workspaceRoot, page), renewed);
  else expect(old).toBe(renewed);
  for (const { name, kind } of described) expect(text).toContain(`# TYPE ${name} ${kind}\n`);
});

test('the dashboard shows every metric, and none that a server does not have', async () => {
  const { text, described } = await openMetrics();
  const dashboard: { readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] } =
    JSON.parse(workspace.read('deploy/grafana-dashboard.json'));
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const shown = new Set(expressions.flatMap((expr) => expr.match(/\bcoppice_\w+/g) ?? []));
  const series = new Set([...text.matchAll(/^(coppice_\w+)/gm)].map(([, name]) => name));
  expect([...shown].filter((name) => !series.has(name))).toEqual([]);
  const unseen = described.filter(
    ({ name }) => ![...shown].some((each) => each.replace(/_(?:bucket|sum|count)$/, '') === name),
  );
  expect(unseen).toEqual([]);
});
