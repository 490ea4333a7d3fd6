import type { RefusalTranslator } from './translate-refusal.ts';
import type { ReportTexts } from './types.ts';

/** A finding of an import, as the server reports it. */
interface Finding {
  readonly code: string;
  readonly place: string;
  readonly data: {
    readonly detail?: string;
    readonly detailCode?: string;
    readonly detailValues?: readonly string[];
    readonly refusal?: Parameters<RefusalTranslator>[0];
  };
}

/** A finding with its details; `english` is true if the details stay untranslated, being names or foreign text. */
export interface TranslatedFinding {
  readonly said: string;
  readonly detail: string;
  readonly english: boolean;
}

/** Creates a translator of import findings; it returns null for an unknown code. */
export function createFindingTranslator(
  texts: ReportTexts,
  translateRefusal: RefusalTranslator,
): (finding: Finding) => TranslatedFinding | null {
  const meanings: ReadonlyMap<string, string> = new Map(Object.entries(texts.findings));
  const details: ReadonlyMap<string, string> = new Map(Object.entries(texts.findingDetails));
  return ({ code, place, data: { detail = '', detailCode = '', detailValues = [], refusal } }) => {
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
    const words = details.get(detailCode);
    if (words === undefined) return { said, detail, english: true };
    let next = 0;
    return { said, detail: words.replaceAll('{}', () => detailValues[next++] ?? ''), english: false };
  };
}
