import { isolateTextDirection } from './languages.ts';
import type { RefusalTexts } from './types.ts';

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Translates an error; null for an unknown code. */
export type RefusalTranslator = (refusal: Refusal) => { readonly said: string; readonly english: string } | null;

/** Creates a translator of errors into one language. */
export function createRefusalTranslator(language: string, texts: RefusalTexts): RefusalTranslator {
  const numbers = new Intl.NumberFormat(language);

  /** Fills the placeholders of a message; null if the data lack a value. */
  const fill = (sentence: string, data: Refusal['data']): string | null => {
    let whole = true;
    const text = sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = Object.hasOwn(data, name) ? data[name] : undefined;
      if (typeof value === 'number') return numbers.format(value);
      if (typeof value === 'string' && value !== '') return isolateTextDirection(value, language);
      whole = false;
      return '';
    });
    return whole ? text : null;
  };

  return ({ code, message, data }) => {
    const known = Object.hasOwn(texts, code) ? texts[code] : undefined;
    for (const sentence of typeof known === 'string' ? [known] : (known ?? [])) {
      const said = fill(sentence, data);
      if (said === null) continue;
      const [colon] = /\s*[:：]$/.exec(said) ?? [];
      if (colon === undefined) return { said, english: '' };
      if (message !== '') return { said, english: message };
      return { said: said.slice(0, -colon.length) + (colon === '：' ? '。' : '.'), english: '' };
    }
    return null;
  };
}
