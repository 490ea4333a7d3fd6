// npx tsx scripts/name-duplicates.ts: lists the names that several source files define, without tests and suites.
import { findDuplicateNames } from '../test/checks/names.ts';
import { openRepository } from '../test/checks/workspace.ts';

const found = findDuplicateNames(openRepository());
for (const { name, places } of found)
  console.log(`${name}: ${places.map(({ path, exported }) => (exported ? `*${path}` : path)).join(' ')}`);
const exported = found.filter(({ places }) => places.filter((place) => place.exported).length > 1);
console.log(
  `${found.length} names are defined in several source files, ${exported.length} of them exported by several.`,
);
