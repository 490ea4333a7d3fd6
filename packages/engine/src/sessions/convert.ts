/** Converts session files of other tools to this format and back. The source file is not changed. */
import { type SessionFiles, SessionIndex, toPiLines } from '@coppice/content/sessions';
import { newId } from '../new-id.ts';
import { copySubtreeEntries } from './copies.ts';

/** Where to write the converted file, and who converts it. */
export interface ConvertOptions {
  readonly files: SessionFiles;
  /** The folder of the new file, or its path. */
  readonly to: { readonly folder: string } | { readonly path: string };
  readonly actor?: string;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/**
 * Converts a session file of any known kind to a new file in Coppice's format, with all branches; returns the new path.
 */
export function convertSession(path: string, options: ConvertOptions): string {
  const { files, to, actor = 'local', now = Date.now } = options;
  const makeId = options.newId ?? (() => newId());
  const from = files.open(path, { readOnly: true });
  try {
    const index = new SessionIndex(from);
    const at = now();
    const uuid = makeId();
    const began = Date.parse(from.header.timestamp ?? '');
    const { cwd } = from.header;
    const createdFile = files.create(to, {
      uuid,
      id: makeId(),
      at: Number.isNaN(began) ? at : began,
      ...(cwd === undefined ? {} : { cwd }),
      parentSession: path,
      entries: copySubtreeEntries(index, 0, index.leaf, uuid, { newId: makeId, time: new Date(at).toISOString() }),
      commit: { actId: makeId(), actor, at },
    });
    createdFile.close();
    return createdFile.path;
  } finally {
    from.close();
  }
}

/** An entry, or a part of it, that the other format cannot represent. */
export interface ExportLoss {
  readonly uuid: string;
  readonly what: string;
}

/** Writes a session to a new file for the terminal agent `pi`, and returns what that format cannot represent. */
export function exportForPi(
  path: string,
  to: string,
  { files, now = Date.now }: Pick<ConvertOptions, 'files' | 'now'>,
): readonly ExportLoss[] {
  const from = files.open(path, { readOnly: true });
  try {
    const index = new SessionIndex(from);
    const { lines, losses } = toPiLines(index, index.leaf, now());
    files.save(
      to,
      lines.map((line) => `${JSON.stringify(line)}\n`),
    );
    return losses;
  } finally {
    from.close();
  }
}
