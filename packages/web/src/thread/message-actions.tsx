import type { Node } from '@coppice/core';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { annotate, bookmark, complain, pick } from '../state/acts.ts';
import { api } from '../state/client.ts';
import { regenerate } from '../state/generation.ts';
import { asProblem } from '../state/http.ts';
import { modelsNow, useLists } from '../state/lists.ts';
import { go, treePlace } from '../state/router.ts';
import type { TreeSession } from '../state/session.ts';
import { say } from '../state/toasts.ts';
import { open, useUi } from '../state/ui.ts';
import { useSession } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { copyText } from '../ui/copy-button.tsx';
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { plainText } from './rows.ts';
import { wishNow } from './wish.ts';

/** Starts a branch at a message: the next one grows from it. */
export async function branchHere(session: TreeSession, node: Node): Promise<void> {
  try {
    await session.go(node.id, { leaf: node.id });
    document.getElementById('composer')?.focus();
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}

/** Copies the branch down to a message out, as a tree of its own. */
export async function copyOut(session: TreeSession, node: Node): Promise<void> {
  try {
    const made = await api.duplicate(session.treeId, { nodeId: node.id });
    const back = session.treeId;
    go(treePlace(made.treeId));
    say({ icon: 'copy', text: t('copiedOut'), action: { label: t('back'), run: () => go(treePlace(back)) } });
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}

/** Copies the text of a message. */
export async function copyMessage(node: Node): Promise<void> {
  if (await copyText(plainText(node.message))) say({ icon: 'copy', text: t('copied') });
}

/** Compares a message with the variant beside it. */
export function compareHere(session: TreeSession, node: Node): void {
  go(treePlace(session.treeId, { screen: 'compare', nodeId: node.id }));
}

/** What can be done with a message; shown when it is touched. */
export function MessageActions({
  node,
  marked,
}: {
  readonly node: Node;
  readonly marked: string | null;
}): ReactElement {
  const session = useSession();
  const excluded = node.meta.excluded === true;
  return (
    <span className="acts">
      <IconButton icon="fork" label={`${t('branchHere')} (B)`} onClick={() => void branchHere(session, node)} />
      {node.role === 'assistant' ? <Regenerate node={node} /> : null}
      {node.role === 'tool' ? null : (
        <IconButton icon="edit" label={`${t('edit')} (E)`} onClick={() => useUi.setState({ editing: node.id })} />
      )}
      <IconButton icon="compare" label={`${t('compare')} (C)`} onClick={() => compareHere(session, node)} />
      <IconButton icon="copy" label={`${t('copy')} (Y)`} onClick={() => void copyMessage(node)} />
      <IconButton
        icon={marked === null ? 'mark' : 'markon'}
        aria-pressed={marked !== null}
        label={`${marked === null ? t('bookmark') : t('unbookmark')} (M)`}
        onClick={() =>
          void bookmark(
            session,
            node.id,
            marked === null ? plainText(node.message).slice(0, 60).trim() || t('bookmark') : null,
          )
        }
      />
      <Menu trigger={<IconButton icon="more" label={t('more')} />}>
        <MenuItem icon="edit" onSelect={() => open({ name: 'title', node })}>
          {t('setTitle')}
        </MenuItem>
        <MenuItem icon="tag" onSelect={() => open({ name: 'tags', node })}>
          {t('setTags')}
        </MenuItem>
        {marked === null ? null : (
          <MenuItem icon="markon" onSelect={() => open({ name: 'bookmark', nodeId: node.id, title: marked })}>
            {t('renameBookmark')}
          </MenuItem>
        )}
        <MenuItem
          icon={excluded ? 'eye' : 'eyeoff'}
          onSelect={() =>
            void annotate(session, node, { excluded: excluded ? null : true }, excluded ? t('included') : t('excluded'))
          }
        >
          {excluded ? t('include') : t('exclude')}
        </MenuItem>
        <MenuLine />
        <MenuItem icon="pick" keys="P" onSelect={() => void pick(session, node.id)}>
          {t('pick')}
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copyOut(session, node)}>
          {t('copyOut')}
        </MenuItem>
        <MenuItem icon="share" onSelect={() => open({ name: 'share', nodeId: node.id })}>
          {t('shareToHere')}
        </MenuItem>
        <MenuLine />
        <MenuItem icon="trash" danger keys="⌫" onSelect={() => open({ name: 'delete', node })}>
          {t('delete')}
        </MenuItem>
      </Menu>
    </span>
  );
}

function Regenerate({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const models = useLists((lists) => lists.models);
  const chosen = useLists((lists) => lists.chosen);
  const now = modelsNow({ models, chosen, defaultModel: useLists((lists) => lists.defaultModel) });
  const others = models.filter((model) => !now.includes(model.id)).slice(0, 6);
  return (
    <Menu trigger={<IconButton icon="again" label={`${t('regenerate')} (R)`} />}>
      <MenuItem icon="again" keys="R" onSelect={() => void regenerate(session, node.id, wishNow({ n: 1 }))}>
        {t('onceMore')} {now.length === 1 && now[0] !== undefined ? <ModelName model={now[0]} /> : null}
      </MenuItem>
      <MenuItem icon="fork" keys="⇧R" onSelect={() => void regenerate(session, node.id, wishNow({ n: 3 }))}>
        {t('threeAtOnce')}
      </MenuItem>
      {others.length === 0 ? null : <MenuLine />}
      {others.map((model) => (
        <MenuItem
          key={model.id}
          icon="compare"
          onSelect={() => void regenerate(session, node.id, wishNow({ n: 1, models: [model.id] }))}
        >
          {t('with')} <ModelName model={model.id} />
        </MenuItem>
      ))}
    </Menu>
  );
}
