/** Sessions of other tools into new files of ours, and ours into theirs. The file that is read stays as it is. */
import { piLines, type SessionFiles, SessionIndex } from '@coppice/content/sessions';
import { newId } from '../new-id.ts';
import { subtreeCopy } from './copies.ts';

/** Where a converted session goes, and what it is made with. */
export interface ConvertOptions {
  readonly files: SessionFiles;
  /** The folder of the new file, or its path. */
  readonly to: { readonly folder: string } | { readonly path: string };
  readonly actor?: string;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** Converts a session file of any known kind into a new file of ours, with all branches, and gives its path. */
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
    const made = files.create(to, {
      uuid,
      id: makeId(),
      at: Number.isNaN(began) ? at : began,
      ...(cwd === undefined ? {} : { cwd }),
      parentSession: path,
      entries: subtreeCopy(index, 0, index.leaf, uuid, { newId: makeId, time: new Date(at).toISOString() }),
      commit: { actId: makeId(), actor, at },
    });
    made.close();
    return made.path;
  } finally {
    from.close();
  }
}

/** Something that the other tool's lines could not hold as it was. */
export interface ExportLoss {
  readonly uuid: string;
  readonly what: string;
}

/** Writes a session into a new file that the terminal agent `pi` opens, and says what that could not hold. */
export function exportForPi(
  path: string,
  to: string,
  { files, now = Date.now }: Pick<ConvertOptions, 'files' | 'now'>,
): readonly ExportLoss[] {
  const from = files.open(path, { readOnly: true });
  try {
    const index = new SessionIndex(from);
    const { lines, losses } = piLines(index, index.leaf, now());
    files.save(
      to,
      lines.map((line) => `${JSON.stringify(line)}\n`),
    );
    return losses;
  } finally {
    from.close();
  }
}
