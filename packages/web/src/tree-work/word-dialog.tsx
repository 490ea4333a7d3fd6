import { type FormEvent, type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { bookmark, entitle, tag } from '../state/acts.ts';
import type { Opened } from '../state/ui.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

type About = Extract<Opened, { name: 'title' | 'tags' | 'bookmark' }>;

const titles = { title: 'setTitle', tags: 'setTags', bookmark: 'renameBookmark' } as const;

function wordsOf(about: About): string {
  if (about.name === 'bookmark') return about.title;
  return about.name === 'title' ? (about.node.meta.title ?? '') : (about.node.meta.tags ?? []).join(', ');
}

/** Asks for a few words: the title of a message, its tags, the name of a bookmark. */
export function WordDialog({ about, onClose }: { readonly about: About; readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const [words, setWords] = useState(() => wordsOf(about));
  const save = (event: FormEvent) => {
    event.preventDefault();
    const text = words.trim();
    onClose();
    if (about.name === 'tags')
      void tag(session, about.node, [
        ...new Set(
          text
            .split(',')
            .map((each) => each.trim())
            .filter(Boolean),
        ),
      ]);
    else if (about.name === 'title') void entitle(session, about.node, text);
    else void bookmark(session, about.nodeId, text === '' ? null : text);
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
        {about.name === 'tags' ? <p className="hint">{t('tagsHint')}</p> : null}
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
