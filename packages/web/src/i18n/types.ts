import type { CommandPhrase } from '@coppice/client';
import type { FindingDetailCode, ImportFindingCode } from '@coppice/content/formats';
import type { pageTextsEn } from './en/page.ts';

/** A category of `Intl.PluralRules`. */
export type PluralForm = Intl.LDMLPluralRule;

/** The keys of English texts, with the plural forms of another language instead of `.one` and `.other`. */
type TranslatedKey<English, Forms extends PluralForm> = {
  [K in keyof English & string]: K extends `${infer Base}.${'one' | 'other'}` ? `${Base}.${Forms}` : K;
}[keyof English & string];

/** A translation of English texts into a language with these plural forms: every key, and no other. */
export type TextTranslations<English, Forms extends PluralForm> = Readonly<
  Record<TranslatedKey<English, Forms>, string>
>;

/** What a command does, its arguments by name, and its examples in their order. */
export interface CommandWords {
  readonly summary: string;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
}

/**
 * Words in the output of commands: roles, kinds of markers and statuses, and the forms of quotations and of messages
 * without text.
 */
export type OutputWord =
  | 'user'
  | 'assistant'
  | 'system'
  | 'tool'
  | 'branch-summary'
  | 'compaction'
  | 'injected'
  | 'state'
  | 'system-prompt'
  | 'summary'
  | 'pending'
  | 'interrupted'
  | 'aborted'
  | 'error'
  | 'quote'
  | 'message-by'
  | 'without-text'
  | 'just-now';

/** The units that commands count. */
export type CountedUnit = 'message' | 'token' | 'node' | 'line' | 'summary' | 'compaction' | 'injected' | 'state';

/** Counted things, one text for each plural form; `{n}` is the number. */
export type UnitTexts<Forms extends PluralForm> = Readonly<Record<`${CountedUnit}.${Forms}`, string>>;

/**
 * Error messages by code. Placeholders in braces are filled from the error's data. If a code has several messages, the
 * first one whose placeholders can all be filled is used. A message that ends in a colon is followed by the server's
 * own message, which has more details.
 */
export type RefusalTexts = Readonly<Record<string, string | readonly string[]>>;

/** Everything that the page needs from its start in a language other than English. */
export interface LanguageTexts {
  readonly page: TextTranslations<typeof pageTextsEn, never> &
    Partial<TextTranslations<typeof pageTextsEn, PluralForm>>;
  /** By the name of the command. */
  readonly commandWords: Readonly<Record<string, CommandWords>>;
  /** Sentences of commands by code; a name in braces stands for a value of the data. */
  readonly sentences: Readonly<Record<CommandPhrase['code'], string>>;
  readonly words: Readonly<Record<OutputWord, string>>;
  readonly units: Partial<UnitTexts<PluralForm>>;
  /** Argument names in the usage of commands. */
  readonly argumentNames: Readonly<Record<string, string>>;
  /** The names of built-in tools and of the offline provider, by their English names. */
  readonly ownNames: Readonly<Record<string, string>>;
  readonly refusals: RefusalTexts;
}

/** The texts of import and export, which are loaded with their dialogs. */
export interface ReportTexts {
  readonly findings: Readonly<Record<ImportFindingCode, string>>;
  /** Details of findings, with `{}` for each value. */
  readonly findingDetails: Readonly<Record<FindingDetailCode, string>>;
  readonly formatNames: Readonly<Record<string, string>>;
  /** What each format is, by its id. */
  readonly formats: Readonly<Record<string, string>>;
  /** What a format cannot store, by the code of the loss. */
  readonly losses: Readonly<Record<string, string>>;
}
