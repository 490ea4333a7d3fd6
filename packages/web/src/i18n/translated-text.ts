/** A text from the server: the translated part, and the English rest, if any. */
export interface TranslatedText {
  readonly said: string;
  readonly english?: string | undefined;
}
