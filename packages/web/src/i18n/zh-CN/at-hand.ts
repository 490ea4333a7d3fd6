/** Simplified Chinese texts for what is at hand beside the messages. */
import type { atHandEn } from '../en/at-hand.ts';
import type { Translated } from '../types.ts';

/** The same keys as in English. */
export const atHandZhCn: Translated<typeof atHandEn, 'other'> = {
  matchAt: '{n} / {of}',
  nextFound: '下一个匹配',
  previousFound: '上一个匹配',
  zoomIn: '放大',
  zoomOut: '缩小',
  showWholeTree: '显示整棵树',
  loadingTree: '正在加载树…',
  loadingTreeShare: '正在加载树：{share}%',
};
