import { findTree } from '../../place.ts';
import { defineSubcommand } from '../contract.ts';

// What a check answers: whole, mended or noted, damaged.
const [whole, flagged, damaged] = [0, 1, 2];

export const fsck = defineSubcommand({
  name: 'fsck',
  summary: 'check everything that is kept; repairs only when asked, and loses nothing',
  group: 'Look after',
  arguments: [{ name: 'tree', summary: 'only this tree', optional: true, completes: 'tree' }],
  options: [{ name: 'repair', summary: 'mends what can be mended; what is moved is kept' }],
  examples: ['coppice fsck', 'coppice fsck --repair --json'],
  async run(given, at) {
    const store = await at.store();
    const word = given.optional('tree');
    const report = await store.fsck({
      repair: given.flag('repair'),
      ...(word === undefined ? {} : { treeId: (await findTree(store, word)).id }),
    });
    const errors = report.findings.filter((finding) => finding.severity === 'error');
    const exitCode =
      errors.length > 0 && report.repaired.length === 0 ? damaged : report.findings.length > 0 ? flagged : whole;
    const { style } = at.output;
    return {
      data: report,
      exitCode,
      lines: [
        ...report.findings.map((finding) => {
          const line = `${finding.code} ${finding.treeId ?? ''} ${at.output.foreign(finding.message)}`;
          return finding.severity === 'error' ? style.bad(line) : style.warn(line);
        }),
        ...report.repaired.map((each) => style.active(at.output.foreign(each))),
        `${report.trees} trees and ${report.nodes} nodes checked: ${errors.length} errors, ${report.findings.length - errors.length} notes.`,
        ...(exitCode === damaged ? [style.quiet('coppice backup <file> first, then coppice fsck --repair.')] : []),
      ],
    };
  },
});
