/** Brazilian Portuguese texts for the map, ratings, speech, notifications, sharing and offline copies. */
import type { messageToolTextsEn } from '../en/message-tools.ts';
import type { TextTranslations } from '../types.ts';

export const messageToolTextsPtBr: TextTranslations<typeof messageToolTextsEn, 'one' | 'many' | 'other'> = {
  matchAt: '{n} de {of}',
  nextFound: 'Próximo resultado',
  previousFound: 'Resultado anterior',
  zoomIn: 'Ampliar',
  zoomOut: 'Reduzir',
  showWholeTree: 'Mostrar a árvore inteira',
  loadingTree: 'Carregando a árvore…',
  loadingTreeShare: 'Carregando a árvore: {share}%',
  goodReply: 'Boa resposta',
  badReply: 'Resposta ruim',
  ratedGood: 'Avaliada como boa',
  ratedBad: 'Avaliada como ruim',
  removeRating: 'Remover avaliação',
  ratingRemoved: 'Avaliação removida',
  readAloud: 'Ler em voz alta',
  stopReading: 'Parar de ler',
  dictate: 'Ditar',
  stopDictating: 'Parar de ditar',
  dictateHint: 'Ditar. O navegador pode enviar a gravação ao seu fabricante.',
  dictateFailed: 'O ditado não funcionou',
  readAloudFailed: 'A leitura em voz alta não funcionou',
  notifyOffer: 'Avisar quando uma resposta longa terminar?',
  turnOn: 'Ativar',
  replyFinished: 'Resposta concluída',
  notifySetting: 'Notificações',
  notifyHint: 'Quando uma resposta de mais de dez segundos termina com esta aba oculta',
  notifyBlocked: 'Bloqueadas nas configurações deste navegador',
  sharedBy: 'Compartilhado por {name}',
  shareWho: 'Quem lê não precisa de conta.',
  shareNamesYou: 'A página mostra seu nome: {name}.',
  shareOnlyHere:
    'Este endereço só funciona neste computador. Para outras pessoas, inicie o servidor em um endereço que elas alcancem.',
  offlineCopies: 'Cópias off-line',
  offlineCopiesHint:
    'Os últimos {n} chats abertos podem ser lidos neste navegador sem o servidor. Chats temporários nunca são salvos.',
  removeCopies: 'Remover cópias',
  copiesRemoved: 'Cópias removidas',
};
