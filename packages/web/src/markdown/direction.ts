const letters = /\p{L}/u;
const fromTheRight =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * The direction of a text, by its first letter. For lists and quotes, where a browser's `dir="auto"` ignores
 * descendants that have their own direction.
 */
export function textDirectionOf(text: string): 'ltr' | 'rtl' {
  return fromTheRight.test(letters.exec(text)?.[0] ?? '') ? 'rtl' : 'ltr';
}
