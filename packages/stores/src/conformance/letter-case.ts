import { user } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import { createTestTree, type StoreSubject, skipUnlessSupported, testStoreRule } from './subject.ts';

export function registerLetterCaseRules(subject: StoreSubject): void {
  describe('ignoring case', () => {
    testStoreRule(
      subject,
      '[K292] any form of a sigma finds every other, in long and short terms and in titles',
      async (store, context) => {
        skipUnlessSupported(context, store.supports.search, 'this store does not search');
        const fixture = await createTestTree(store);
        const texts = ['Ο ΣΙΣΥΦΟΣ ανεβαίνει', 'ο Σίσυφος κατεβαίνει', 'οδός, οσμή', 'a_ς'];
        await fixture.addMessages(texts.map(user));
        const cases: readonly (readonly [string, readonly number[]])[] = [
          ['ΣΙΣ', [0]],
          ['σισυφος', [0]],
          ['ΣΙΣΥΦΟΣ', [0]],
          ['σίσ', [1]],
          ['Σίσυφοσ κατε', [1]],
          ['δόσ', [2]],
          ['ος', [2, 1, 0]],
          ['Σ', [3, 2, 1, 0]],
          ['_σ', [3]],
        ];
        for (const [text, hits] of cases) {
          const { items } = await store.search({ text });
          expect([text, items.map((hit) => hit.snippet)]).toEqual([text, hits.map((index) => texts[index])]);
        }
        await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'ΟΔΟΣ' } });
        for (const title of ['οδος', 'ΟΔΟΣ', 'δοσ', 'Σ'])
          expect((await store.trees({ title })).items.map(({ id }) => id)).toEqual([fixture.treeId]);
      },
    );
  });
}
