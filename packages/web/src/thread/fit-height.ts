/** Makes a box as high as its text, up to a limit; then it scrolls. */
export function fitHeight(element: HTMLTextAreaElement | null, text: string, most: number): void {
  if (element === null) return;
  element.style.height = 'auto';
  if (text !== '') element.style.height = `${Math.min(element.scrollHeight, most)}px`;
}
