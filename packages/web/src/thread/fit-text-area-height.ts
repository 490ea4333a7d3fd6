// Measuring a longer text takes the browser seconds, and it is higher than any box.
const longestMeasured = 20_000;

/** Makes a box as high as its text, up to a limit; then it scrolls. */
export function fitTextAreaHeight(element: HTMLTextAreaElement | null, text: string, most: number): void {
  if (element === null) return;
  if (text.length > longestMeasured) {
    element.style.height = `${most}px`;
    return;
  }
  element.style.height = 'auto';
  if (text !== '') element.style.height = `${Math.min(element.scrollHeight, most)}px`;
}
