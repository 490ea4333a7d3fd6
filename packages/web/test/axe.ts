/** Finds accessibility problems of a page with axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { PageTab } from './page-fixture.ts';

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Runs axe and returns its serious and critical findings, one sentence each. */
export async function findSeriousViolations({ page }: Pick<PageTab, 'page'>): Promise<readonly string[]> {
  // The page's policy forbids foreign scripts; the test evaluates its own.
  await page.evaluate(readFileSync(axe, 'utf8'));
  const found = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then((result) => JSON.stringify(result.violations))',
  );
  const findings: readonly Finding[] = JSON.parse(String(found));
  return findings
    .filter((finding) => finding.impact === 'serious' || finding.impact === 'critical')
    .map(
      (finding) =>
        `${finding.id}: ${finding.nodes.map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary.slice(0, 200)}`).join(' | ')}`,
    );
}
