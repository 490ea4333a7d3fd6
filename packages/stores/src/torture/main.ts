/**
 * Runs one part of the torture suite with `npm run torture -- <name> [--option value …]`, by default in its long form.
 */
import { TortureArguments } from './arguments.ts';
import type { TortureReport } from './journal.ts';
import { tortureParts } from './parts.ts';

const [name = '', ...words] = process.argv.slice(2);
const part = tortureParts.get(name);
if (part === undefined) {
  console.error('npm run torture -- <name> [--option value …], where <name> is one of:\n');
  for (const [known, { about }] of tortureParts) console.error(`  ${known.padEnd(12)}${about}`);
  process.exitCode = 2;
} else {
  const begun = performance.now();
  try {
    const reports: readonly TortureReport[] = await part.run(new TortureArguments(words), (line) => console.log(line));
    for (const { name: run, seed, figures } of reports)
      console.log(
        `${run}, seed ${seed}: ${Object.entries(figures)
          .map(([key, value]) => `${key} ${value}`)
          .join(', ')}`,
      );
    console.log(`Nothing lost, nothing broken, ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  } catch (error) {
    console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  }
}
