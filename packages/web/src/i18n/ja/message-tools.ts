/** Japanese texts for the map, ratings, speech, notifications, sharing and offline copies. */
import type { messageToolTextsEn } from '../en/message-tools.ts';
import type { TextTranslations } from '../types.ts';

export const messageToolTextsJa: TextTranslations<typeof messageToolTextsEn, 'other'> = {
  matchAt: '{n} / {of}',
  nextFound: '次の一致',
  previousFound: '前の一致',
  zoomIn: '拡大',
  zoomOut: '縮小',
  showWholeTree: 'ツリー全体を表示',
  loadingTree: 'ツリーを読み込み中…',
  loadingTreeShare: 'ツリーを読み込み中: {share}%',
  goodReply: '良い回答',
  badReply: '良くない回答',
  ratedGood: '良いと評価しました',
  ratedBad: '良くないと評価しました',
  removeRating: '評価を取り消す',
  ratingRemoved: '評価を取り消しました',
  readAloud: '読み上げる',
  stopReading: '読み上げを停止',
  dictate: '音声入力',
  stopDictating: '音声入力を停止',
  dictateHint: '音声入力。録音がブラウザーの提供元に送られることがあります。',
  dictateFailed: '音声入力に失敗しました',
  readAloudFailed: '読み上げに失敗しました',
  notifyOffer: '長い回答が終わったら通知しますか？',
  turnOn: 'オンにする',
  replyFinished: '回答が完了しました',
  notifySetting: '通知',
  notifyHint: 'このタブが隠れている間に、10 秒を超える回答が終わったとき',
  notifyBlocked: 'このブラウザーの設定でブロックされています',
  sharedBy: '{name} さんが共有',
  shareWho: '閲覧にアカウントは不要です。',
  shareNamesYou: 'ページにあなたの名前が表示されます: {name}。',
  shareOnlyHere:
    'このアドレスはこのコンピューターでのみ使えます。他の人と共有するには、相手が接続できるアドレスでサーバーを起動してください。',
  offlineCopies: 'オフライン用コピー',
  offlineCopiesHint:
    '最後に開いた {n} 件のチャットは、サーバーなしでこのブラウザーで読めます。一時チャットは保存されません。',
  removeCopies: 'コピーを削除',
  copiesRemoved: 'コピーを削除しました',
};
