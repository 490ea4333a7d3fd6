import { runStoreConformance } from '../conformance/index.ts';
import { createMemoryStore } from './index.ts';

runStoreConformance({
  name: 'memory',
  open: async (options) => createMemoryStore(options),
  destroy: (store) => store.close(),
});
