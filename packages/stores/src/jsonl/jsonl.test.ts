import { jsonlSubject } from '../../test/jsonl-subject.ts';
import { runStoreConformance } from '../conformance/index.ts';

runStoreConformance(jsonlSubject);
