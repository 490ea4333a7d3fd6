import { refuse } from '../errors.ts';
import type { TreeId } from '../ids.ts';
import type { TreeAttributes } from '../node.ts';
import type { Patch } from '../steps/types.ts';
import { utf8Length } from '../utf8-length.ts';

/** The most that the metadata of a tree may be, as JSON in UTF-8: every list of trees carries it. */
export const mostMetadataBytes = 64 * 1024;

/** Refuses metadata past the bound. */
export function assertMetadataSize({ metadata }: Patch<TreeAttributes>, treeId: TreeId): void {
  if (metadata === undefined || metadata === null) return;
  const text = JSON.stringify(metadata);
  const bytes = text.length * 3 <= mostMetadataBytes ? text.length : utf8Length(text);
  if (bytes > mostMetadataBytes)
    refuse(
      'command/invalid',
      `The metadata of a tree has at most ${mostMetadataBytes} bytes of JSON; this has ${bytes}.`,
      {
        treeId,
        bytes,
        most: mostMetadataBytes,
      },
    );
}
