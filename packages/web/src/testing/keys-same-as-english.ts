import type { TranslatedLanguage } from '../i18n/loaders.ts';

/** The keys of translations that are equal to the English text on purpose: names, and words of both languages. */
export const keysSameAsEnglish: Readonly<Record<TranslatedLanguage, readonly string[]>> = {
  de: [
    'code connectionName conversations exportFormat filter limits link nameWord offline prompts roleAdmin system themeSystem',
    'token topP trees zoom',
  ],
  fr: [
    'alertImportant branches.other branchesName code exportFormat instructions maximum message messages.other',
    'messagesName options optionsSet promptWord prompts roleAdmin session sessionCount.one sessionCount.other',
    'sourceView storeKind tokenCount.one tokenCount.other tokens.other tokensFromTo tokensUsed tokensWord topP',
    'variantAt zoom',
  ],
  es: [
    'conversations promptWord prompts token tokenCount.one tokenCount.other tokenListName tokens.one',
    'tokens.other tokensFromTo tokensUsed tokensWord topP trees zoom',
  ],
  'pt-BR': [
    'conversations link promptWord prompts roleAdmin token tokenCount.one tokenCount.other tokenListName',
    'tokens.other tokensFromTo tokensUsed tokensWord topP trees zoom',
  ],
  it: ['link promptWord roleAdmin token tokenCount.one tokens.one topP zoom'],
  ar: [],
  ja: [],
  'zh-CN': [],
  nl: [
    'alertTip code context conversations diagram gitBranchName link model modelIs modelsFound.one projectName',
    'promptWord prompts providers recent token tokenCount.one tokenCount.other tokenListName tokens.one',
    'tokens.other tokensFromTo tokensUsed tokensWord tool toolDefinitions toolsUsed topP trees',
  ],
};
