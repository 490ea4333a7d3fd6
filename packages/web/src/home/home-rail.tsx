import { type ReactElement, useEffect, useState } from 'react';
import { num, t } from '../i18n/index.ts';
import { api } from '../state/client.ts';
import { useLists } from '../state/lists.ts';
import { homePlace, useRoute } from '../state/router.ts';
import { useUi } from '../state/ui.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { RailHead, Scrim } from './rail.tsx';

type Counted = readonly { readonly name: string; readonly count: number }[];

/** The rail of home: all trees, pinned ones, folders, tags, trash and settings. */
export function HomeRail(): ReactElement {
  const place = useRoute((route) => route.place);
  const trees = useLists((lists) => lists.trees);
  const drawer = useUi((ui) => ui.drawer);
  const [folders, setFolders] = useState<Counted>([]);
  const [tags, setTags] = useState<Counted>([]);
  const changed = trees.length + (trees[0]?.updatedAt ?? 0);
  useEffect(() => {
    if (changed < 0) return;
    void api.folders().then(
      ({ items }) => setFolders(items),
      () => undefined,
    );
    void api.tags().then(
      ({ items }) => setTags(items),
      () => undefined,
    );
  }, [changed]);
  const filter = place.name === 'home' ? place.filter : null;
  return (
    <>
      {drawer ? <Scrim /> : null}
      <nav className={drawer ? 'rail drawer' : 'rail'} aria-label={t('trees')}>
        <RailHead />
        <div className="list">
          <Link to={homePlace()} current={filter === ''}>
            <Icon name="map" />
            <span className="grow">{t('allTrees')}</span>
          </Link>
          <Link to={homePlace('', 'pinned')} current={filter === 'pinned'}>
            <Icon name="pin" />
            <span className="grow">{t('pinned')}</span>
          </Link>
          <Link to={homePlace('', 'bookmarks')} current={filter === 'bookmarks'}>
            <Icon name="mark" />
            <span className="grow">{t('bookmarks')}</span>
          </Link>
          <Link to={homePlace('', 'forest')} current={filter === 'forest'}>
            <Icon name="clock" />
            <span className="grow">{t('recorded')}</span>
          </Link>
        </div>
        <Group title={t('folders')} items={folders} icon="folder" prefix="folder:" filter={filter} />
        <Group title={t('tags')} items={tags} icon="tag" prefix="tag:" filter={filter} />
        <span className="grow" />
        <div className="list rail-foot">
          <Link to={{ name: 'trash' }} current={place.name === 'trash'}>
            <Icon name="trash" />
            <span className="grow">{t('trash')}</span>
          </Link>
          <Link to={{ name: 'settings' }} current={place.name === 'settings'}>
            <Icon name="gear" />
            <span className="grow">{t('settings')}</span>
          </Link>
        </div>
      </nav>
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly items: Counted;
  readonly icon: 'folder' | 'tag';
  readonly prefix: string;
  readonly filter: string | null;
}

function Group({ title, items, icon, prefix, filter }: GroupProps): ReactElement | null {
  if (items.length === 0) return null;
  return (
    <>
      <div className="sect spaced">
        <span>{title}</span>
      </div>
      <div className="list">
        {items.map((item) => (
          <Link key={item.name} to={homePlace('', prefix + item.name)} current={filter === prefix + item.name}>
            <Icon name={icon} />
            <span className="grow clip">{item.name}</span>
            <span className="num">{num(item.count)}</span>
          </Link>
        ))}
      </div>
    </>
  );
}
