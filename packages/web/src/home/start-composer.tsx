import { type ReactElement, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { formatChord } from '../keys/chords.ts';
import { useAppData } from '../state/app-data.ts';
import { findPreset, useLibrary } from '../state/library.ts';
import { useProjectDefaults } from '../state/projects.ts';
import { startChat } from '../state/start-chat.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { ComposerBox } from '../thread/composer-box.tsx';
import { useSlashMenu } from '../thread/slash-menu.tsx';
import { useDraft } from '../thread/use-draft.ts';
import { useDraftFiles } from '../thread/use-files.ts';
import { buildComposedMessage, isUploading, reportFailedFile, useSendWhenReady } from '../thread/use-send.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';

const draftName = 'new-chat';

/** The composer of a new chat. Nothing is stored before the first message is sent. */
export function StartComposer({ folder }: { readonly folder: string | null }): ReactElement {
  const { text, set: setText, forget } = useDraft(draftName);
  const files = useDraftFiles(draftName, true);
  const [sending, setSending] = useState(false);
  const [focused, setFocused] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const slash = useSlashMenu(null, null, text, focused);
  const asked = useUi((ui) => ui.newChats);
  const presetName = useUi((ui) => ui.preset);
  const preset = useLibrary(({ items }) => findPreset(items, presetName));
  useProjectDefaults(folder);
  const ready = useAppData((lists) => lists.models.length === 0 || lists.models.some((model) => model.ready));
  useEffect(() => {
    if (asked > 0) area.current?.focus();
  }, [asked]);
  const send = useSendWhenReady(!isUploading(files), async (answer) => {
    const message = buildComposedMessage({ text, files });
    if (sending || message === null || reportFailedFile(files)) return;
    setSending(true);
    const done = await startChat(message, { folder, preset }, answer);
    setSending(false);
    if (!done) return;
    forget();
    setText('');
    files.take();
  });
  return (
    <div className="start-dock">
      <ComposerBox
        text={text}
        setText={setText}
        files={files}
        slash={slash}
        area={area}
        rows={2}
        placeholder={t('writeFirst')}
        head={folder === null ? null : <ProjectLine folder={folder} />}
        button={
          <IconButton
            className="send"
            icon="send"
            label={ready ? `${t('send')} (${formatChord('enter')})` : t('connectToSend')}
            disabled={!ready || sending}
            onClick={() => void send(true)}
          />
        }
        onFocusChange={setFocused}
        onSend={(answer) => void send(answer)}
      />
    </div>
  );
}

/** The project of the new chat, and whether its files are sent along. */
function ProjectLine({ folder }: { readonly folder: string }): ReactElement {
  const hasFiles = useLibrary(({ files }) => files.has(folder));
  return (
    <div className="from">
      <Icon name="folder" />
      <span className="clip grow">{t('newInProject', { name: folder })}</span>
      {hasFiles ? <span className="chip">{t('withProjectFiles')}</span> : null}
      <Button small look="quiet" icon="gear" onClick={() => openDialog({ name: 'project', project: folder })}>
        {t('projectSettings')}
      </Button>
    </div>
  );
}
