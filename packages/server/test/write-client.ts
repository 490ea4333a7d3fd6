import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientSource } from './client-source.ts';

writeFileSync(join(import.meta.dirname, '../../client/src/paths.ts'), await clientSource());
