// Lets a thread read the sources as they are in a checkout. What is installed is built, and never comes here.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

// Not the one of the directory that the command is called in: nothing from there may have a say.
register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
