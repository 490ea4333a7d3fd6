import type { SharedField, ShareView } from '@coppice/client';
import { AppError } from '@coppice/core';
import { matchesIdPart } from '@coppice/engine/node-references';
import { makeUsageError } from '../../exit-codes.ts';
import { formatLocalTime } from '../../printing.ts';
import { findTarget } from '../../resolve-target.ts';
import { createIdShortener, shortenId } from '../../short-ids.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

const fields: readonly SharedField[] = ['models', 'system-prompt', 'thinking', 'times', 'tools', 'usage'];
const dayMs = 86_400_000;

export const share = defineSubcommand({
  name: 'share',
  summary: 'make a link to a branch as it is now, or list and remove links',
  group: 'Manage',
  arguments: [
    chatArgument,
    { name: 'message', summary: 'last message to show (default: the active one)', optional: true, completes: 'node' },
  ],
  options: [
    {
      name: 'show',
      value: 'part',
      many: true,
      summary: `also show ${fields.join(', ')}; may be repeated`,
      completes: fields,
    },
    { name: 'days', value: 'count', summary: 'the link expires after this many days (default: never)' },
    { name: 'title', value: 'text', summary: 'title of the shared page' },
    { name: 'list', summary: 'list the links of the chat' },
    { name: 'remove', value: 'id', summary: 'remove a link, by its id or a part of it' },
  ],
  examples: ['coppice share last', 'coppice share last --show models --days 7', 'coppice share last --list'],
  async run(given, at) {
    const { findServer } = await import('../../remote/find-server.ts');
    const { translateServerErrors } = await import('../../remote/remote-store.ts');
    const { client, url } = await findServer(at);
    const { treeId, nodeId } = await findTarget(at, given.text('chat'), given.optional('message'));
    if (given.flag('list') || given.optional('remove') !== undefined) {
      const open = (await translateServerErrors(client.api.shares(treeId))).items.filter(
        ({ revokedAt }) => revokedAt === null,
      );
      const word = given.optional('remove');
      if (word === undefined) return listShares(open);
      const { id } = findShare(open, word);
      await translateServerErrors(client.api.unshare(id));
      return { data: { removed: id }, lines: ['Removed the link; it no longer works.'] };
    }
    const shown = given.many('show').map(fieldOf);
    const days = given.count('days');
    const title = given.optional('title');
    const createdShare = await translateServerErrors(
      client.api.share(treeId, {
        nodeId,
        ...(shown.length === 0 ? {} : { fields: shown }),
        ...(title === undefined ? {} : { title }),
        ...(days === undefined ? {} : { expiresAt: Date.now() + days * dayMs }),
      }),
    );
    const address = `${url}${createdShare.url}`;
    return {
      data: { url: address, share: createdShare.share },
      lines: [
        address,
        at.output.style.quiet(
          `Everyone who has this link sees ${formatCountedNoun(createdShare.share.nodeIds.length, 'message')}, and no later ones. It is shown only once.`,
        ),
        at.output.style.quiet(
          `Remove it with coppice share ${shortenId(treeId)} --remove ${shortenId(createdShare.share.id)}.`,
        ),
      ],
    };
  },
});

function fieldOf(word: string): SharedField {
  const found = fields.find((field) => field === word);
  if (found !== undefined) return found;
  throw makeUsageError(`Unknown part ${word}. Use one of ${fields.join(', ')}.`);
}

function listShares(open: readonly ShareView[]) {
  const short = createIdShortener(open.map(({ id }) => id));
  const lines = open.map((link) => {
    const end = link.expiresAt === null ? 'never ends' : `ends ${formatLocalTime(link.expiresAt)}`;
    const what = [formatCountedNoun(link.nodeIds.length, 'message'), ...link.fields].join(', ');
    return `${short(link.id)}  ${formatLocalTime(link.createdAt)}  ${end}  ${what}`;
  });
  return { data: { items: open }, lines: lines.length === 0 ? ['There are no links to this chat.'] : lines };
}

function findShare(open: readonly ShareView[], word: string): ShareView {
  const [found, more] = open.filter(({ id }) => matchesIdPart(id, word));
  if (found !== undefined && more === undefined) return found;
  throw new AppError({
    code: 'cli/no-link',
    kind: 'not-found',
    message: `${found === undefined ? 'No link matches' : 'Several links match'} ${JSON.stringify(word)}. List them with --list.`,
  });
}
