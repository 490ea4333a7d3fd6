import { readModule } from './modules.ts';
import { isConformanceSuite, isTestFile, isTypeScript, packageOf, type Workspace } from './workspace.ts';

/** A numbered rule of a `SPEC.md`: a line such as `- **T7** sentence`. */
export interface SpecRule {
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

/** A reference to a rule in the name of a test. */
export interface RuleCitation {
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

const ruleLine = /^- \*\*([A-Z]{1,2}[1-9]\d*)\*\* \S/;
// Matches everything that resembles a rule, so that a rule with a typo is reported instead of ignored.
const almostRule = /^\s*(?:[-*+]|\d+\.)?\s*\*\*\[?[A-Za-z]{1,3}[-. ]?\d+\]?[.:]?\*\*/;
const citation = /\[([A-Z]{1,2}[1-9]\d*(?:, ?[A-Z]{1,2}[1-9]\d*)*)\]/g;
const testCalls = new Set(['test', 'it', 'describe', 'suite']);
const notRun = new Set(['skip', 'todo']);

/** Returns the rules of every `packages/<name>/SPEC.md`, and a sentence for each malformed one. */
export function readSpecRules(workspace: Workspace): {
  readonly rules: readonly SpecRule[];
  readonly slips: readonly string[];
} {
  const rules: SpecRule[] = [];
  const slips: string[] = [];
  for (const path of workspace.paths) {
    if (!/^packages\/[^/]+\/SPEC\.md$/.test(path)) continue;
    let fenced = false;
    for (const [index, text] of workspace.read(path).split(/\r?\n/).entries()) {
      if (/^\s*(?:```|~~~)/.test(text)) fenced = !fenced;
      if (fenced) continue;
      const id = ruleLine.exec(text)?.[1];
      if (id !== undefined) rules.push({ id, path, line: index + 1 });
      else if (almostRule.test(text))
        slips.push(`${path}:${index + 1} looks like a rule but is none; a rule is a line '- **T7** One sentence.'`);
    }
  }
  return { rules, slips };
}

/**
 * Returns the rules that the names of tests cite (`test('[T7] …')`, also `[T7, T8]` and `test.each(rows)('[T7] …')`).
 * In an exported suite any call counts whose argument begins with a citation, because suites name their tests through
 * their own functions. A skipped or todo test does not count.
 */
export function readRuleCitations(workspace: Workspace): readonly RuleCitation[] {
  const citations: RuleCitation[] = [];
  for (const path of workspace.paths) {
    if (!isTypeScript(path) || packageOf(path) === null || !isTestFile(path)) continue;
    const text = workspace.read(path);
    if (!/\[[A-Z]{1,2}\d/.test(text)) continue;
    const named = isConformanceSuite(path) || /\/src\/testing\//.test(path);
    for (const call of readModule(path, text).calls) {
      if (call.callee.some((name) => notRun.has(name))) continue;
      const isTest = testCalls.has(call.callee[0] ?? '');
      const names = isTest ? call.texts.slice(0, 1) : named ? call.texts.filter((each) => each?.startsWith('[')) : [];
      for (const name of names)
        for (const match of (name ?? '').matchAll(citation))
          for (const id of (match[1] ?? '').split(/, ?/)) citations.push({ id, path, line: call.line });
    }
  }
  return citations;
}

/** Returns all differences between rules and tests, one sentence each. */
export function checkSpec(workspace: Workspace): string[] {
  const { rules, slips } = readSpecRules(workspace);
  const found = [...slips];
  const byId = new Map<string, SpecRule>();
  const owners = new Map<string, SpecRule>();
  for (const rule of rules) {
    const first = byId.get(rule.id);
    if (first)
      found.push(`${rule.path}:${rule.line} uses ${rule.id} again; ${first.path}:${first.line} has it already.`);
    else byId.set(rule.id, rule);
    const prefix = rule.id.replace(/\d+$/, '');
    const owner = owners.get(prefix);
    if (!owner) owners.set(prefix, rule);
    else if (!first && owner.path !== rule.path)
      found.push(
        `${rule.path}:${rule.line} begins with ${prefix}, which belongs to ${owner.path}; take another letter.`,
      );
  }
  const cited = new Set<string>();
  for (const each of readRuleCitations(workspace)) {
    cited.add(each.id);
    if (!byId.has(each.id)) found.push(`${each.path}:${each.line} cites ${each.id}, which no SPEC.md states.`);
  }
  for (const rule of byId.values())
    if (!cited.has(rule.id)) found.push(`${rule.path}:${rule.line} states ${rule.id}, which no test cites.`);
  return found;
}
