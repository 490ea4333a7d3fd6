import { type AppError, type FsckOptions, type FsckReport, isAppError, type WorkProgress } from '@coppice/core';
import type { CliContext } from '../../cli-context.ts';
import { findTree } from '../../resolve-target.ts';
import { createProgressBar } from '../../terminal/progress.ts';
import { buildCommandLine, formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand, type SubcommandInput } from '../contract.ts';

// The exit codes of a check: no findings, repaired or with warnings, damaged.
const [whole, flagged, damaged] = [0, 1, 2];

export const fsck = defineSubcommand({
  name: 'fsck',
  summary: 'check the store for damage; repair only with --repair',
  worksOn: 'own-store',
  insteadOnServer: () =>
    'It reads the files of the store. Run it on the computer of the server, or name the store with --store.',
  group: 'Manage',
  arguments: [{ name: 'chat', summary: 'only this chat', optional: true, completes: 'tree' }],
  options: [{ name: 'repair', summary: 'repair what can be repaired; nothing is deleted' }],
  examples: ['coppice fsck', 'coppice fsck --repair --json'],
  async run(given, at) {
    const repair = given.flag('repair');
    const { style } = at.output;
    const found = await runFsck(given, at);
    if ('refused' in found) {
      const { message } = found.refused;
      const finding = { code: found.refused.code, severity: 'error', id: '', message, treeId: null };
      return {
        data: { trees: 0, nodes: 0, findings: [finding], repaired: [] },
        exitCode: damaged,
        lines: [style.bad(at.output.foreign(message)), style.quiet('Keep a copy of it, and replace it with a backup.')],
      };
    }
    const { report, left } = found;
    const errors = report.findings.filter(isError);
    const stays = left.filter(isError).length;
    const next = (line: string) => buildCommandLine(at, `coppice ${line}`) ?? `coppice ${line}`;
    return {
      data: repair ? { ...report, left } : report,
      exitCode: stays > 0 ? damaged : report.findings.length > 0 ? flagged : whole,
      lines: [
        ...report.findings.map((finding) => {
          const line = `${finding.code} ${finding.treeId ?? ''} ${at.output.foreign(finding.message)}`;
          return isError(finding) ? style.bad(line) : style.warn(line);
        }),
        ...report.repaired.map((each) => style.active(at.output.foreign(each))),
        `Checked ${formatCountedNoun(report.trees, 'chat')} and ${formatCountedNoun(Math.max(0, report.nodes - report.trees), 'message')}: ${formatCountedNoun(errors.length, 'error')}, ${formatCountedNoun(report.findings.length - errors.length, 'note')}.`,
        ...(stays === 0
          ? []
          : [
              repair
                ? style.bad(
                    `${stays} of them could not be repaired. Nothing was deleted. Keep a copy with ${next('backup <file>')}.`,
                  )
                : style.quiet(`Make a copy with ${next('backup <file>')}, then run ${next('fsck --repair')}.`),
            ]),
      ],
    };
  },
});

type FsckLine = FsckReport['findings'][number];

function isError(finding: FsckLine): boolean {
  return finding.severity === 'error';
}

/** Returns the findings of a check, and those that remain after a repair; or why the store cannot be read. */
async function runFsck(
  given: SubcommandInput,
  at: CliContext,
): Promise<{ readonly report: FsckReport; readonly left: readonly FsckLine[] } | { readonly refused: AppError }> {
  try {
    const store = await at.keptStore();
    const word = given.optional('chat');
    const only = word === undefined ? {} : { treeId: (await findTree(at, word)).id };
    const check = async (options: FsckOptions): Promise<FsckReport> => {
      const progress = createProgressBar(at.output, 'chats');
      const onProgress = ({ done, total }: WorkProgress) => progress.tell(done, total - done);
      return store.fsck({ ...only, ...options, onProgress }).finally(() => progress.end());
    };
    const report = await check({ repair: given.flag('repair') });
    // A repair may leave other findings, so the check runs again.
    const left = report.repaired.length === 0 ? report.findings : (await check({})).findings;
    return { report, left };
  } catch (thrown) {
    if (isAppError(thrown) && thrown.code === 'store/damaged') return { refused: thrown };
    throw thrown;
  }
}
