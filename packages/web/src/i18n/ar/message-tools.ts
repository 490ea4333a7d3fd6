/** Arabic texts for the map, ratings, speech, notifications, sharing and offline copies. */
import type { messageToolTextsEn } from '../en/message-tools.ts';
import type { TextTranslations } from '../types.ts';

export const messageToolTextsAr: TextTranslations<
  typeof messageToolTextsEn,
  'zero' | 'one' | 'two' | 'few' | 'many' | 'other'
> = {
  matchAt: '{n} من {of}',
  nextFound: 'النتيجة التالية',
  previousFound: 'النتيجة السابقة',
  zoomIn: 'تكبير',
  zoomOut: 'تصغير',
  showWholeTree: 'عرض الشجرة كلها',
  loadingTree: 'جارٍ تحميل الشجرة…',
  loadingTreeShare: 'جارٍ تحميل الشجرة: {share} %',
  goodReply: 'رد جيد',
  badReply: 'رد سيئ',
  ratedGood: 'قُيِّم بأنه جيد',
  ratedBad: 'قُيِّم بأنه سيئ',
  removeRating: 'إزالة التقييم',
  ratingRemoved: 'أُزيل التقييم',
  readAloud: 'القراءة بصوت عالٍ',
  stopReading: 'إيقاف القراءة',
  dictate: 'إملاء',
  stopDictating: 'إيقاف الإملاء',
  dictateHint: 'إملاء. قد يرسل المتصفح التسجيل إلى الشركة المطوِّرة له.',
  dictateFailed: 'تعذَّر الإملاء',
  readAloudFailed: 'تعذَّرت القراءة بصوت عالٍ',
  notifyOffer: 'هل تريد إشعارًا عند انتهاء رد طويل؟',
  turnOn: 'تشغيل',
  replyFinished: 'اكتمل الرد',
  notifySetting: 'الإشعارات',
  notifyHint: 'عندما ينتهي رد استغرق أكثر من عشر ثوانٍ وعلامة التبويب مخفية',
  notifyBlocked: 'محظورة في إعدادات هذا المتصفح',
  sharedBy: 'شاركه {name}',
  shareWho: 'لا يحتاج القرّاء إلى حساب.',
  shareNamesYou: 'تعرض الصفحة اسمك: {name}.',
  shareOnlyHere: 'يعمل هذا العنوان على هذا الحاسوب فقط. للآخرين، شغِّل الخادم على عنوان يمكنهم الوصول إليه.',
  offlineCopies: 'نسخ دون اتصال',
  offlineCopiesHint: 'يمكن قراءة آخر {n} محادثة فتحتها في هذا المتصفح دون الخادم. لا تُحفظ المحادثات المؤقتة أبدًا.',
  removeCopies: 'إزالة النسخ',
  copiesRemoved: 'أُزيلت النسخ',
};
