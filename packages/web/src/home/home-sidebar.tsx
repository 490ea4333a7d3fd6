import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { formatNumber, t } from '../i18n/index.ts';
import { ChatList } from '../sidebar/chat-list.tsx';
import { useAppData } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { loadFolders, useProjects } from '../state/projects.ts';
import { homeRoute, useRoute } from '../state/router.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/link.tsx';
import { FoldedSidebar, Scrim, SidebarHead } from './sidebar.tsx';

type Counted = readonly { readonly name: string; readonly count: number }[];

/** The navigation of home: lists of chats, projects, tags, and links to the other screens. */
export function HomeSidebar(): ReactElement {
  const place = useRoute((route) => route.place);
  const drawer = useUi((ui) => ui.drawer);
  const projects = useProjects();
  const tags = useTagCounts();
  const filter = place.name === 'home' ? place.filter : null;
  const folded = useUi((ui) => ui.sidebarFolded);
  if (folded && !drawer) return <FoldedSidebar />;
  return (
    <>
      {drawer ? <Scrim /> : null}
      <nav className={drawer ? 'rail drawer' : 'rail'} aria-label={t('trees')}>
        <SidebarHead />
        <div className="list">
          {chatLists.map((list) => (
            <PageLink key={list.filter} to={homeRoute('', list.filter)} current={filter === list.filter}>
              <Icon name={list.icon} />
              <span className="grow">{t(list.label)}</span>
            </PageLink>
          ))}
        </div>
        <Group title={t('projects')} items={projects} icon="folder" prefix="folder:" filter={filter}>
          <IconButton
            icon="plus"
            label={t('newProject')}
            onClick={() => openDialog({ name: 'project', project: null })}
          />
        </Group>
        <Group title={t('tags')} items={tags} icon="tag" prefix="tag:" filter={filter} />
        <ChatList current={null} />
        <div className="list rail-foot">
          {otherScreens.map(({ name, icon }) => (
            <PageLink key={name} to={{ name }} current={place.name === name}>
              <Icon name={icon} />
              <span className="grow">{t(name)}</span>
            </PageLink>
          ))}
        </div>
      </nav>
    </>
  );
}

const chatLists = [
  { filter: '', icon: 'map', label: 'allTrees' },
  { filter: 'pinned', icon: 'pin', label: 'pinned' },
  { filter: 'bookmarks', icon: 'mark', label: 'bookmarks' },
  { filter: 'forest', icon: 'clock', label: 'recorded' },
] as const;

/** The other screens; the name of each is also the key of its label. */
const otherScreens = [
  { name: 'agents', icon: 'tool' },
  { name: 'library', icon: 'lines' },
  { name: 'trash', icon: 'trash' },
  { name: 'settings', icon: 'gear' },
] as const;

/** The tags of all chats with their counts. Tags and folders are read again when the list of chats changes. */
function useTagCounts(): Counted {
  const trees = useAppData((lists) => lists.trees);
  const [tags, setTags] = useState<Counted>([]);
  useEffect(() => {
    // Setting a tag changes neither the order nor the times of the list, so tags are read again with every new list.
    if (trees === null) return;
    void loadFolders();
    void api.tags().then(
      ({ items }) => setTags(items),
      () => undefined,
    );
  }, [trees]);
  return tags;
}

interface GroupProps {
  readonly title: string;
  readonly items: Counted;
  readonly icon: 'folder' | 'tag';
  readonly prefix: string;
  readonly filter: string | null;
  /** A button in the heading. With a button the group is shown even if it is empty. */
  readonly children?: ReactNode;
}

function Group({ title, items, icon, prefix, filter, children }: GroupProps): ReactElement | null {
  if (items.length === 0 && children === undefined) return null;
  return (
    <>
      <div className="sect spaced">
        <span>{title}</span>
        {children}
      </div>
      <div className="list">
        {items.map((item) => (
          <PageLink key={item.name} to={homeRoute('', prefix + item.name)} current={filter === prefix + item.name}>
            <Icon name={icon} />
            <span className="grow clip">{item.name}</span>
            <span className="num">{formatNumber(item.count)}</span>
          </PageLink>
        ))}
      </div>
    </>
  );
}
