import type { RefusalTranslator } from './translate-refusal.ts';
import type { ReportTexts } from './types.ts';

/** A finding of an import, as the server reports it. */
interface Finding {
  readonly code: string;
  readonly place: string;
  readonly data: { readonly detail?: string; readonly refusal?: Parameters<RefusalTranslator>[0] };
}

/** A finding with its details; `english` is true if the details stay untranslated, being names or foreign text. */
export interface TranslatedFinding {
  readonly said: string;
  readonly detail: string;
  readonly english: boolean;
}

/** Puts the details of findings into words; null for what is not a known phrase, such as a name or a parser's message. */
export function createDetailTranslator(details: ReportTexts['findingDetails']): (detail: string) => string | null {
  const exact: ReadonlyMap<string, string> = new Map(Object.entries(details));
  // Phrases with more fixed text first: a placeholder matches anything.
  const patterns = Object.entries(details)
    .filter(([english]) => english.includes('{}'))
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([english, words]) => {
      const parts = english.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return { fits: new RegExp(`^${parts.join('(.+?)')}$`, 's'), words };
    });
  return (detail) => {
    const known = exact.get(detail);
    if (known !== undefined) return known;
    for (const { fits, words } of patterns) {
      const [, ...values] = fits.exec(detail) ?? [];
      if (values.length > 0) return words.replaceAll('{}', () => values.shift() ?? '');
    }
    return null;
  };
}

/** Puts findings into words; null for an unknown code. */
export function createFindingTranslator(
  texts: ReportTexts,
  translateRefusal: RefusalTranslator,
): (finding: Finding) => TranslatedFinding | null {
  const meanings: ReadonlyMap<string, string> = new Map(Object.entries(texts.findings));
  const translateDetail = createDetailTranslator(texts.findingDetails);
  return ({ code, place, data: { detail = '', refusal } }) => {
    const meaning = meanings.get(code);
    if (meaning === undefined) return null;
    const said = `${place}: ${meaning}`;
    // An error of the store has its own code and translation.
    if (refusal !== undefined) {
      const refused = translateRefusal(refusal);
      return refused === null
        ? { said, detail: refusal.message, english: true }
        : { said, detail: [refused.said, refused.english].filter((part) => part !== '').join(' '), english: false };
    }
    const words = translateDetail(detail);
    return { said, detail: words ?? detail, english: words === null };
  };
}
