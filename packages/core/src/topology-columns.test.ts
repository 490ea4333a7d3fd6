import fc from 'fast-check';
import { expect, test } from 'vitest';
import { topology } from './path.ts';
import { arbitraryCommands, propertyRuns } from './testing/arbitraries.ts';
import { Bed } from './testing/bed.ts';
import { play } from './testing/play.ts';
import { ReferenceStore } from './testing/reference-store.ts';
import { fromTopologyColumns, toTopologyColumns } from './topology-columns.ts';

test('[R10] a topology in columns is the topology, also after it was JSON', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands({ maxLength: 25 }), async (commands) => {
      const store = new ReferenceStore();
      for await (const _ of play(store, commands));
      for (const tree of store.trees.values()) {
        const nodes = topology(tree);
        const sent: ReturnType<typeof toTopologyColumns> = JSON.parse(JSON.stringify(toTopologyColumns(nodes)));
        expect(fromTopologyColumns(sent, tree.rootId)).toEqual(nodes);
      }
    }),
    propertyRuns(40, process.env),
  );
});

test('[R10] and is less than half as long', async () => {
  const bed = await Bed.make();
  await bed.grow(Array.from({ length: 300 }, (_, index) => `Message number ${index}`));
  const nodes = topology(bed.tree);
  expect(JSON.stringify(toTopologyColumns(nodes)).length * 2).toBeLessThan(JSON.stringify(nodes).length);
});
