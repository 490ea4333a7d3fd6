const letters = /\p{L}/u;
const fromTheRight =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * Which way a text runs: as its first letter does. For what holds blocks of its own, lists and quotes, where a browser
 * that is left to find out (`dir="auto"`) passes over all that have a direction themselves.
 */
export function directionOf(text: string): 'ltr' | 'rtl' {
  return fromTheRight.test(letters.exec(text)?.[0] ?? '') ? 'rtl' : 'ltr';
}
