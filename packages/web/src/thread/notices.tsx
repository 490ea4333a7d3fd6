import type { SourceNotice } from '@coppice/client';
import type { Json, Node } from '@coppice/core';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { useTree } from '../state/use-session.ts';
import { findReplyBefore, listShownNotices } from './shown-notices.ts';

/** Shows below a reply how its request differed from the chosen options, for example a smaller token limit. */
export function ReplyNotices({ node }: { readonly node: Node }): ReactElement | null {
  const before = useTree((state) => findReplyBefore(state.part, node));
  const notices = listShownNotices(node, before);
  if (notices.length === 0) return null;
  return (
    <div className="status notices" role="note">
      {notices.map((notice) => (
        <p key={JSON.stringify(notice)}>{wordNotice(notice)}</p>
      ))}
    </div>
  );
}

function wordNotice({ code, data }: SourceNotice): string {
  const { model = '', name = '', asked = null, sent = null, blockType = '', count = 1, limit = 0 } = data;
  const reported = { model: noticeValueText(model), name: noticeValueText(name) };
  if (code === 'notice/block-changed' && (blockType === 'file' || blockType === 'image'))
    return t(blockType === 'file' ? 'noticeFilesByName' : 'noticeImagesByName', {
      ...reported,
      count: noticeValueText(count),
    });
  if (code === 'notice/block-changed')
    return t('noticeBlock', { ...reported, blockType: noticeValueText(blockType), count: noticeValueText(count) });
  if (code === 'notice/file-as-text') return t('noticeFileText', reported);
  if (code === 'notice/file-cut') return t('noticeFileCut', reported);
  if (code === 'notice/file-missing') return t('noticeFileMissing', reported);
  if (code === 'notice/file-left-out')
    return t('noticeFileLeftOut', { ...reported, size: `${Math.round(Number(limit) / 1024 / 1024)} MB` });
  return sent === null
    ? t('noticeDropped', reported)
    : t('noticeChanged', { ...reported, asked: noticeValueText(asked), sent: noticeValueText(sent) });
}

function noticeValueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
