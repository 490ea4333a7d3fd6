import { useCallback, useEffect, useRef, useState } from 'react';
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

/**
 * Manages the files of a composer under the name of its draft: they survive a reload, and are uploaded again when the
 * server can be reached. Without a name nothing is stored, and the list starts with the given files.
 */
export function useDraftFiles(
  draft: string | null,
  connected: boolean,
  first: readonly DraftAttachment[] = [],
): DraftFiles {
  const [list, setList] = useState<readonly DraftAttachment[]>(() => (draft === null ? first : readDraftFiles(draft)));
  const sources = useRef(new Map<string, File>());
  useEffect(() => {
    if (draft !== null) saveDraftFiles(draft, list);
  }, [draft, list]);
  const send = useCallback((attachment: DraftAttachment, file: File) => {
    void uploadFile(file, attachment).then((done) => {
      if (done.state === 'ready') sources.current.delete(done.id);
      setList((now) => now.map((each) => (each.id === done.id ? done : each)));
    });
  }, []);
  const retry = useCallback(
    (id: string) => {
      const file = sources.current.get(id);
      if (file === undefined) return;
      setList((now) => now.map((each) => (each.id === id ? { ...each, state: 'sending', problem: null } : each)));
      send({ ...createAttachment(file), id }, file);
    },
    [send],
  );
  const waiting = useRef(list);
  waiting.current = list;
  useEffect(() => {
    if (connected) for (const file of waiting.current) if (file.state === 'failed') retry(file.id);
  }, [connected, retry]);
  return {
    list,
    add: useCallback(
      (files: Iterable<File>) => {
        for (const file of files) {
          const attachment = createAttachment(file);
          sources.current.set(attachment.id, file);
          setList((now) => [...now, attachment]);
          send(attachment, file);
        }
      },
      [send],
    ),
    drop(id) {
      sources.current.delete(id);
      setList((now) => now.filter((file) => file.id !== id));
    },
    retry,
    take() {
      setList([]);
      return list;
    },
    giveBack: (files) => setList((now) => (now.length === 0 ? files : now)),
  };
}
