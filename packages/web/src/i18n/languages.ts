/** The available languages, by their own names. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  'pt-BR': 'Português (Brasil)',
  it: 'Italiano',
  nl: 'Nederlands',
  ja: '日本語',
  'zh-CN': '简体中文',
  ar: 'العربية',
} as const;
export type Language = keyof typeof languages;

/** All codes of languages, in the order of the menu. */
export const languageCodes: readonly Language[] = Object.keys(languages).filter(isLanguage);

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(languages, value);
}

/** The first of a browser's languages that is available: the same region, else the same language and script. */
export function matchLanguage(wanted: readonly string[]): Language {
  for (const each of wanted) {
    const [base = '', ...rest] = each.toLowerCase().split('-');
    // The Chinese texts are in simplified characters.
    if (base === 'zh' && rest.some((part) => ['hant', 'tw', 'hk', 'mo'].includes(part))) continue;
    const found =
      languageCodes.find((code) => code.toLowerCase() === each.toLowerCase()) ??
      languageCodes.find((code) => code.toLowerCase().split('-')[0] === base);
    if (found !== undefined) return found;
  }
  return 'en';
}

export function writingDirection(language: string): 'ltr' | 'rtl' {
  return language.startsWith('ar') ? 'rtl' : 'ltr';
}

/**
 * Isolates the direction of a value in a sentence: in a right-to-left language it must not reorder the words around it.
 */
export function isolateTextDirection(value: string, language: string): string {
  return writingDirection(language) === 'rtl' ? `\u2068${value}\u2069` : value;
}
