// npm run preinstall: refuses a Node version that is too old, with an explanation. Plain JavaScript, because nothing is
// installed yet. npm's own engine-strict would also refuse test packages that require a newer Node than they need.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [major = 0, minor = 0] = engines.node.match(/\d+/g).map(Number);
const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number);
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  process.stderr.write(`Coppice needs Node ${major}.${minor} or newer; this is ${process.version}.\n`);
  process.exitCode = 1;
}
