import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateClientSource } from './client-source.ts';

writeFileSync(join(import.meta.dirname, '../../client/src/paths.ts'), await generateClientSource());
