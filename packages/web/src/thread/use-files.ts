import { useCallback, useEffect, useId, useState } from 'react';
import { create } from 'zustand';
import { t } from '../i18n/index.ts';
import { showToast } from '../state/toasts.ts';
import { createAttachment, type DraftAttachment, readDraftFiles, saveDraftFiles, uploadFile } from './attachments.ts';

/** The files of the next message, and what the composer can do with them. */
export interface DraftFiles {
  readonly list: readonly DraftAttachment[];
  add(files: Iterable<File>): void;
  drop(id: string): void;
  /** Retries a failed upload. */
  retry(id: string): void;
  /** Removes all files from the composer and returns them for a message. */
  take(): readonly DraftAttachment[];
  /** Puts the files back into the composer, unless the user has attached other files meanwhile. */
  giveBack(files: readonly DraftAttachment[]): void;
}

type AttachmentList = readonly DraftAttachment[];

// The lists outlive their composers: a file may be uploaded, or a message with files be stored, after its composer was
// closed.
const useFileLists = create<{ readonly lists: ReadonlyMap<string, AttachmentList> }>(() => ({ lists: new Map() }));

/** The lists whose composer is open. */
const opened = new Set<string>();

/** The bytes of files that are being uploaded or failed, by the id of their attachment. */
const sources = new Map<string, File>();

function setFileList(key: string, list: AttachmentList | null): void {
  useFileLists.setState(({ lists }) => {
    const next = new Map(lists);
    if (list === null) next.delete(key);
    else next.set(key, list);
    return { lists: next };
  });
}

function hasUnstored(list: AttachmentList): boolean {
  return list.some(({ state }) => state !== 'ready');
}

/**
 * Manages the files of a composer under the name of its draft: they survive a reload and closing the composer, and are
 * uploaded again when the server can be reached. Without a name nothing is stored, and the list starts with the given
 * files.
 */
export function useDraftFiles(draft: string | null, connected: boolean, given: AttachmentList = []): DraftFiles {
  const own = useId();
  const key = draft ?? own;
  const [first] = useState(() => (draft === null ? given : readDraftFiles(draft)));
  const list = useFileLists(({ lists }) => lists.get(key)) ?? first;
  const change = useCallback(
    (edit: (now: AttachmentList) => AttachmentList) => {
      const before = useFileLists.getState().lists.get(key) ?? (draft === null ? first : readDraftFiles(draft));
      const after = edit(before);
      if (draft !== null) saveDraftFiles(draft, after);
      setFileList(key, opened.has(key) || (draft !== null && hasUnstored(after)) ? after : null);
    },
    [key, draft, first],
  );
  useEffect(() => {
    opened.add(key);
    return () => {
      opened.delete(key);
      // Stored files are read again when the composer is opened; only the others have to stay in memory.
      if (draft === null || !hasUnstored(useFileLists.getState().lists.get(key) ?? [])) setFileList(key, null);
    };
  }, [key, draft]);
  const send = useCallback(
    (attachment: DraftAttachment, file: File) => {
      sources.set(attachment.id, file);
      void uploadFile(file, attachment).then((done) => {
        // Removed meanwhile.
        if (!sources.has(done.id)) return;
        if (done.state === 'ready') sources.delete(done.id);
        change((now) => now.map((each) => (each.id === done.id ? done : each)));
      });
    },
    [change],
  );
  const retry = useCallback(
    (id: string) => {
      const file = sources.get(id);
      if (file === undefined) return;
      change((now) => now.map((each) => (each.id === id ? { ...each, state: 'sending', problem: null } : each)));
      send({ ...createAttachment(file), id }, file);
    },
    [change, send],
  );
  useEffect(() => {
    if (connected)
      for (const file of useFileLists.getState().lists.get(key) ?? []) if (file.state === 'failed') retry(file.id);
  }, [connected, key, retry]);
  return {
    list,
    add: useCallback(
      (files: Iterable<File>) => {
        for (const file of files) {
          if (file.size === 0) {
            showToast({ icon: 'warn', text: t('fileEmpty', { name: file.name }), bad: true });
            continue;
          }
          const attachment = createAttachment(file);
          change((now) => [...now, attachment]);
          send(attachment, file);
        }
      },
      [change, send],
    ),
    drop(id) {
      sources.delete(id);
      change((now) => now.filter((file) => file.id !== id));
    },
    retry,
    take() {
      change(() => []);
      return list;
    },
    giveBack: (files) => change((now) => (now.length === 0 ? files : now)),
  };
}
