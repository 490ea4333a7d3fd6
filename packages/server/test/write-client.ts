import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientSource } from './client-source.ts';

writeFileSync(join(import.meta.dirname, '../src/client/paths.ts'), await clientSource());
