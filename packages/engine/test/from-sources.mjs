// Lets a worker thread load TypeScript sources in a checkout. Installed packages are built and do not use this.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

// A fixed path: configuration from the current directory must have no effect.
register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
