import { lazy, type ReactElement, Suspense } from 'react';
import { t } from './i18n/index.ts';
import { PendingSearchField } from './keys/pending-search-field.tsx';
import { showToast } from './state/toasts.ts';
import { openDialog, useUi } from './state/ui.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';

// Each dialog is loaded when it is first opened.
const DeleteDialog = lazy(() =>
  import('./tree-work/delete-dialog.tsx').then((module) => ({ default: module.DeleteDialog })),
);
const ShareDialog = lazy(() =>
  import('./tree-work/share-dialog.tsx').then((module) => ({ default: module.ShareDialog })),
);
const MergeDialog = lazy(() =>
  import('./tree-work/merge-dialog.tsx').then((module) => ({ default: module.MergeDialog })),
);
const TextDialog = lazy(() => import('./tree-work/text-dialog.tsx').then((module) => ({ default: module.TextDialog })));
const SystemPromptDialog = lazy(() =>
  import('./tree-work/system-prompt-dialog.tsx').then((module) => ({ default: module.SystemPromptDialog })),
);
const CompactDialog = lazy(() =>
  import('./tree-work/compact-dialog.tsx').then((module) => ({ default: module.CompactDialog })),
);
const CommandListDialog = lazy(() =>
  import('./thread/command-list-dialog.tsx').then((module) => ({ default: module.CommandListDialog })),
);
const ActionsSheet = lazy(() =>
  import('./thread/actions-sheet.tsx').then((module) => ({ default: module.ActionsSheet })),
);
const SplitDialog = lazy(() =>
  import('./tree-work/split-dialog.tsx').then((module) => ({ default: module.SplitDialog })),
);
const MoveDialog = lazy(() => import('./tree-work/move-dialog.tsx').then((module) => ({ default: module.MoveDialog })));
const FillPromptDialog = lazy(() =>
  import('./library/fill-prompt-dialog.tsx').then((module) => ({ default: module.FillPromptDialog })),
);
const ProjectDialog = lazy(() =>
  import('./library/project-dialog.tsx').then((module) => ({ default: module.ProjectDialog })),
);
const EditChatsDialog = lazy(() =>
  import('./sidebar/chats-dialog.tsx').then((module) => ({ default: module.EditChatsDialog })),
);
const ImportDialog = lazy(() =>
  import('./transfer/import-dialog.tsx').then((module) => ({ default: module.ImportDialog })),
);
const ExportDialog = lazy(() =>
  import('./transfer/export-dialog.tsx').then((module) => ({ default: module.ExportDialog })),
);
const CommandPalette = lazy(() =>
  import('./keys/command-palette.tsx').then((module) => ({ default: module.CommandPalette })),
);
const KeysDialog = lazy(() => import('./keys/keys-dialog.tsx').then((module) => ({ default: module.KeysDialog })));
const Tour = lazy(() => import('./home/tour.tsx').then((module) => ({ default: module.Tour })));

/** Renders the dialog that `openDialog` requested. */
export function Dialogs(): ReactElement | null {
  const opened = useUi((ui) => ui.opened);
  const close = () => openDialog(null);
  if (opened === null) return null;
  return (
    <ErrorBoundary
      of={opened}
      fallback={null}
      onFail={() => {
        close();
        showToast({ icon: 'warn', text: `${t('brokenPart')}. ${t('brokenPartWhy')}`, bad: true });
      }}
    >
      <Suspense fallback={opened.name === 'palette' ? <PendingSearchField onClose={close} /> : null}>
        {opened.name === 'delete' ? <DeleteDialog node={opened.node} onClose={close} /> : null}
        {opened.name === 'share' ? <ShareDialog nodeId={opened.nodeId} onClose={close} /> : null}
        {opened.name === 'merge' ? <MergeDialog nodeId={opened.nodeId} onClose={close} /> : null}
        {opened.name === 'title' ||
        opened.name === 'tags' ||
        opened.name === 'bookmark' ||
        opened.name === 'tree-tags' ||
        opened.name === 'tree-folder' ? (
          <TextDialog about={opened} onClose={close} />
        ) : null}
        {opened.name === 'actions' ? <ActionsSheet node={opened.node} onClose={close} /> : null}
        {opened.name === 'split' ? <SplitDialog node={opened.node} onClose={close} /> : null}
        {opened.name === 'move-to' ? <MoveDialog node={opened.node} onClose={close} /> : null}
        {opened.name === 'prompt' ? <SystemPromptDialog onClose={close} /> : null}
        {opened.name === 'compact' ? <CompactDialog onClose={close} /> : null}
        {opened.name === 'listing' ? (
          <CommandListDialog words={opened.words} lines={opened.lines} list={opened.list} onClose={close} />
        ) : null}
        {opened.name === 'chats' ? <EditChatsDialog what={opened.what} chats={opened.chats} onClose={close} /> : null}
        {opened.name === 'project' ? <ProjectDialog name={opened.project} onClose={close} /> : null}
        {opened.name === 'fill-prompt' ? (
          <FillPromptDialog text={opened.text} onDone={opened.onDone} onClose={close} />
        ) : null}
        {opened.name === 'import' ? <ImportDialog onClose={close} /> : null}
        {opened.name === 'export' ? <ExportDialog about={opened.about} onClose={close} /> : null}
        {opened.name === 'palette' ? <CommandPalette onClose={close} /> : null}
        {opened.name === 'keys' ? <KeysDialog onClose={close} /> : null}
        {opened.name === 'tour' ? <Tour onClose={close} /> : null}
      </Suspense>
    </ErrorBoundary>
  );
}
