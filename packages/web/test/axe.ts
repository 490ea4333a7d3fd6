/** What axe has to say about a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Tab } from './page-fixture.ts';

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds that is serious, in a sentence each. */
export async function serious({ page }: Pick<Tab, 'page'>): Promise<readonly string[]> {
  // The policy of the page forbids scripts from elsewhere; the test's own goes around it.
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
