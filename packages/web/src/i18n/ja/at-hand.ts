/** Japanese texts for what is at hand beside the messages. */
import type { atHandEn } from '../en/at-hand.ts';
import type { Translated } from '../types.ts';

/** The same keys as in English. */
export const atHandJa: Translated<typeof atHandEn, 'other'> = {
  matchAt: '{n} / {of}',
  nextFound: '次の一致',
  previousFound: '前の一致',
  zoomIn: '拡大',
  zoomOut: '縮小',
  showWholeTree: 'ツリー全体を表示',
  loadingTree: 'ツリーを読み込み中…',
  loadingTreeShare: 'ツリーを読み込み中: {share}%',
};
