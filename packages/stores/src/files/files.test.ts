import { filesSubject } from '../../test/files-subject.ts';
import { runStoreConformance } from '../conformance/index.ts';

runStoreConformance(filesSubject);
