/** An example tree: a question with two replies, one of them continued, and a bookmark. */
import { toHttpProblem } from '@coppice/client';
import { type NodeId, type TreeId, treeId } from '@coppice/core';
import { t } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { showError } from '../state/tree-actions.ts';
import { openDialog } from '../state/ui.ts';

interface ExampleTree {
  readonly tree: TreeId;
  readonly version: number;
  readonly last: NodeId;
}

async function addExampleMessage(
  tree: TreeId,
  version: number,
  parentId: NodeId | undefined,
  messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[],
): Promise<ExampleTree> {
  const written = await api.append(tree, { ...(parentId === undefined ? {} : { parentId }), messages }, version);
  const last = written.nodes.at(-1)?.id ?? written.activeNodeId;
  if (last === null || last === undefined) throw new Error('The example did not grow.');
  return { tree, version: written.version, last };
}

/** Creates the example, opens it and starts the tour. */
export async function createExampleChat(): Promise<void> {
  try {
    const made = await api.create({ title: t('exampleTitle') });
    const id = treeId(made.treeId);
    const ask = await addExampleMessage(id, made.version, undefined, [{ role: 'user', content: t('exampleAsk') }]);
    const first = await addExampleMessage(id, ask.version, ask.last, [
      { role: 'assistant', content: t('exampleFirst') },
    ]);
    const second = await addExampleMessage(id, first.version, ask.last, [
      { role: 'assistant', content: t('exampleSecond') },
    ]);
    const on = await addExampleMessage(id, second.version, second.last, [
      { role: 'user', content: t('exampleMore') },
      { role: 'assistant', content: t('exampleEnd') },
    ]);
    await api.bookmark(id, on.last, t('exampleMark'));
    navigateTo(treeRoute(id));
    openDialog({ name: 'tour' });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}
