import type { TreeViewData } from '@coppice/client';
import { type FormEvent, type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { patchTree, setBookmark, setMessageTags, setMessageTitle } from '../state/tree-actions.ts';
import type { OpenedDialog } from '../state/ui.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

type About = Extract<OpenedDialog, { name: 'title' | 'tags' | 'bookmark' | 'tree-tags' | 'tree-folder' }>;

const titles = {
  title: 'setTitle',
  tags: 'setTags',
  bookmark: 'renameBookmark',
  'tree-tags': 'treeTags',
  'tree-folder': 'treeFolder',
} as const;

const hints = { tags: 'tagsHint', 'tree-tags': 'tagsHint', 'tree-folder': 'folderHint' } as const;

function hintOf(name: About['name']): string | null {
  return name === 'title' || name === 'bookmark' ? null : t(hints[name]);
}

function tagsIn(text: string): readonly string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    ),
  ];
}

function initialText(about: About, tree: TreeViewData | undefined): string {
  if (about.name === 'tree-tags') return (tree?.tags ?? []).join(', ');
  if (about.name === 'tree-folder') return tree?.folder ?? '';
  if (about.name === 'bookmark') return about.title;
  return about.name === 'title' ? (about.node.meta.title ?? '') : (about.node.meta.tags ?? []).join(', ');
}

/** Asks for a short text: title and tags of a message, the name of a bookmark, tags and folder of the tree. */
export function TextDialog({ about, onClose }: { readonly about: About; readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const [words, setWords] = useState(() => initialText(about, session.state.part?.tree));
  const save = (event: FormEvent) => {
    event.preventDefault();
    const text = words.trim();
    onClose();
    if (about.name === 'tags') void setMessageTags(session, about.node, tagsIn(text));
    else if (about.name === 'title') void setMessageTitle(session, about.node, text);
    else if (about.name === 'tree-tags') void patchTree(session, { tags: tagsIn(text) }, t('treeNoted'));
    else if (about.name === 'tree-folder')
      void patchTree(session, { folder: text === '' ? null : text }, t('treeNoted'));
    else void setBookmark(session, about.nodeId, text === '' ? null : text);
  };
  return (
    <Dialog title={t(titles[about.name])} onClose={onClose}>
      <form onSubmit={save}>
        <input
          className="field wide-field"
          aria-label={t(titles[about.name])}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {hintOf(about.name) === null ? null : <p className="hint">{hintOf(about.name)}</p>}
        <div className="row foot-row">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit">
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
