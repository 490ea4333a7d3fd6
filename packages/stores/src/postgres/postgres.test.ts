import { createPostgresSubject } from '../../test/postgres-subject.ts';
import { runStoreConformance } from '../conformance/index.ts';

runStoreConformance(createPostgresSubject('postgres'));
