/** Arabic texts for what is at hand beside the messages. */
import type { atHandEn } from '../en/at-hand.ts';
import type { Translated } from '../types.ts';

/** The same keys as in English. */
export const atHandAr: Translated<typeof atHandEn, 'zero' | 'one' | 'two' | 'few' | 'many' | 'other'> = {
  matchAt: '{n} من {of}',
  nextFound: 'النتيجة التالية',
  previousFound: 'النتيجة السابقة',
  zoomIn: 'تكبير',
  zoomOut: 'تصغير',
  showWholeTree: 'عرض الشجرة كلها',
  loadingTree: 'جارٍ تحميل الشجرة…',
  loadingTreeShare: 'جارٍ تحميل الشجرة: {share} %',
};
