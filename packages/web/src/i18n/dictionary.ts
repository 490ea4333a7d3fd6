/** What somebody else says, in words: what is said in the reader's language, and what follows in English, where something does. */
export interface Dictionary {
  readonly said: string;
  readonly english?: string | undefined;
}
