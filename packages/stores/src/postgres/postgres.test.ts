import { postgresSubject } from '../../test/postgres-subject.ts';
import { runStoreConformance } from '../conformance/index.ts';

runStoreConformance(postgresSubject('postgres'));
