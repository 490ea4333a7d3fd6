import type { TreeViewData } from '@coppice/client';
import { type FormEvent, type ReactElement, useEffect, useId, useState } from 'react';
import { t } from '../i18n/index.ts';
import { loadFolders, useProjects } from '../state/projects.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { patchChats, tagChats } from './chat-actions.ts';

const titles = { title: 'rename', tags: 'treeTags', folder: 'moveToProject' } as const;

function firstText(what: 'title' | 'tags' | 'folder', chats: readonly TreeViewData[]): string {
  const [chat] = chats;
  if (chat === undefined || chats.length > 1) return '';
  if (what === 'title') return chat.title ?? chat.autoTitle ?? '';
  return what === 'tags' ? chat.tags.join(', ') : (chat.folder ?? '');
}

/** Asks for the name, the tags or the project of one or several chats. */
export function EditChatsDialog({
  what,
  chats,
  onClose,
}: {
  readonly what: 'title' | 'tags' | 'folder';
  readonly chats: readonly TreeViewData[];
  readonly onClose: () => void;
}): ReactElement {
  const [text, setText] = useState(() => firstText(what, chats));
  const projects = useProjects();
  const listId = useId();
  useEffect(() => {
    if (what === 'folder') void loadFolders();
  }, [what]);
  const save = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    const words = text.trim();
    const ids = chats.map((chat) => chat.id);
    if (what === 'title') void patchChats(ids, { title: words === '' ? null : words });
    else if (what === 'folder') void patchChats(ids, { folder: words === '' ? null : words });
    else {
      const tags = [
        ...new Set(
          words
            .split(',')
            .map((tag) => tag.trim())
            .filter(Boolean),
        ),
      ];
      void (chats.length === 1 ? patchChats(ids, { tags }) : tagChats(chats, tags));
    }
  };
  return (
    <Dialog title={t(titles[what])} onClose={onClose}>
      <form onSubmit={save}>
        <input
          className="field wide-field"
          aria-label={t(titles[what])}
          value={text}
          list={what === 'folder' ? listId : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        <datalist id={listId}>
          {projects.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {what === 'title' ? null : <p className="hint">{t(what === 'tags' ? 'tagsHint' : 'projectHint')}</p>}
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
