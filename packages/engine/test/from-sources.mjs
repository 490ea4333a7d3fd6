// Lets a worker thread load TypeScript sources in a checkout. Installed packages are built and do not use this.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

// The path is fixed, so that a configuration in the current directory has no effect.
register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
