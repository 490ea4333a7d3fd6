/**
 * The texts of commands: a code with data, and its English sentence. Interfaces receive the code and data, so that each
 * can word the sentence in its own language without parsing English.
 */
import type { Node } from '@coppice/core';
import { previewOf } from '@coppice/core/tree';
import { formatCount, quoteBeginning, roleLabelOf, toAgeInLargestUnit } from './format.ts';

/** The English text of each code. A name in braces is replaced by the value of that name. */
export const commandPhrases = {
  text: '{text}',
  'already-there': 'You are already there.',
  'already-above': 'You are already right above {node}.',
  'hook-moved-to-beginning': 'A hook moved you to the beginning instead.',
  'hook-moved': 'A hook moved you to {node} instead.',
  'moved-to-new-beginning': 'Moved to the beginning; your next message starts a new branch.',
  'text-in-editor': 'The text {words} is in the editor.',
  'summary-precedes': 'A summary of the branch you left precedes your next message.',
  'moved-before': 'Moved to before {node}; its text is in the editor.',
  'moved-to-beginning': 'Moved to the beginning.',
  moved: 'Moved to {node}.',
  'branch-continues': '{count} branch continues from there; your next message starts another.',
  'branches-continue': '{count} branches continue from there; your next message starts another.',
  'copied-all': 'Copied all branches to a new chat.',
  'copied-all-to-file': 'Copied all branches to a new file, {file}.',
  'started-again': 'Started again in a new chat.',
  'started-again-in-file': 'Started again in a new file, {file}.',
  'continues-after': 'Continues after {node} in a new chat.',
  'continues-after-in-file': 'Continues after {node} in a new file, {file}.',
  'continues-before': 'Continues before {node} in a new chat.',
  'continues-before-in-file': 'Continues before {node} in a new file, {file}.',
  'its-text-in-editor': 'Its text is in the editor.',
  'original-unchanged': 'The original is unchanged.',
  undid: 'Undid {parts}.',
  redid: 'Redid {parts}.',
  'merged-as-summary': 'Merged the branch that ends with {node}, as a summary.',
  'merged-as-messages': 'Merged the branch that ends with {node}, as {messages}.',
  'copied-message': 'Copied {node} to the end of this branch.',
  'copied-messages': 'Copied {messages} to the end of this branch.',
  compacted: '{messages} replaced by a summary: the model now gets about {tokens} instead of {before}.',
  'nothing-deleted': 'Nothing was deleted.',
  'model-sees': 'The model sees {messages}, about {tokens}.',
  'model-sees-unknown-window': 'The model sees {messages}, about {tokens}; the window of {model} is not known.',
  'model-sees-until':
    '{model} sees {messages}, about {tokens}: {used} of its window of {window}, {left} until older messages are summarised.',
  'model-sees-full':
    '{model} sees {messages}, about {tokens}: {used} of its window of {window}, it is time to /compact.',
  'nodes-in-conversation': '{nodes} in the chat, {lines} shown.',
  'nodes-from-there': '{nodes} from there on, {lines} shown.',
  'lines-not-shown': '{lines} not shown: name a message, or set --limit.',
  'no-branch': 'There is no branch yet: the chat is empty.',
  'one-branch': 'There is 1 branch.',
  branches: 'There are {count} branches.',
  'branches-newest': 'There are {count} branches; the newest {shown} are listed.',
  'branch-written': 'Wrote the branch of {node} to {file}.',
  'commands-listed': 'There are {count} commands. /help <command> explains one.',
  'command-explained': '/{command}: {summary}',
  'no-labels': 'There are no labels.',
  'one-label': 'There is 1 label.',
  labels: 'There are {count} labels.',
  'has-no-label': '{node} has no label.',
  'is-labelled': '{node} is labelled {label}.',
  'had-no-label': 'Nothing to do: {node} has no label.',
  'was-labelled': 'Nothing to do: {node} is already labelled {label}.',
  'label-removed': 'Removed the label {label} from {node}.',
  labelled: 'Labelled {node} {label}.',
  relabelled: 'Changed the label of {node} from {before} to {label}.',
  'no-model': 'No model was chosen, and none is known here.',
  'model-by-set': 'This branch uses {model}: it was set on this branch.',
  'model-by-reply': 'This branch uses {model}: it wrote the last reply here.',
  'model-by-tree': 'This branch uses {model}: it was set for the whole chat.',
  'model-by-default': 'This branch uses {model}: it is the default.',
  'model-same': 'This branch already uses {model}.',
  'model-set': 'This branch uses {model}.',
  'model-set-instead': 'This branch uses {model} instead of {before}.',
  'model-not-ready': 'It is not ready yet. {missing}',
  'no-title': 'The chat has no title.',
  'title-is': 'The chat is called {title}.',
  'title-set': 'The chat is called {title} now.',
  'title-same': 'Nothing to do: that is already its title.',
  'title-removed': 'Removed the title of the chat.',
  // Parts of an act, as undo and redo name them.
  'part-messages': '{messages}',
  'part-messages-with-words': '{messages} ({words})',
  'part-summaries': '{summaries}',
  'part-compactions': '{compactions}',
  'part-injected': '{injected}',
  'part-states': '{states}',
  'part-added': 'what was added',
  'part-deletion': 'a deletion',
  'part-restored': 'a restored part',
  'part-move': 'a move',
  'part-text': 'a change of text',
  'part-label': 'the label {label}',
  'part-some-label': 'a label',
  'part-title': 'the title',
  'part-some-title': 'a title',
  'part-model': 'the model',
  'part-branch-model': 'the model of the branch',
  'part-tags': 'the tags',
  'part-some-tags': 'tags',
  'part-folder': 'the folder',
  'part-pin': 'the pin',
  'part-trash': 'the move to the trash',
  'part-property': 'a property of the chat',
  'part-note': 'a note',
  'part-group': 'a grouping of versions',
  'part-none': 'a change without lasting effect',
  // Parts of a line in a list.
  speaker: '{who}',
  'speaker-with-status': '{who} ({status})',
  'messages-on-branch': '{messages}',
  'messages-on-branch-own': '{messages}, {own} of its own',
  age: '{age}',
  more: '{count} more',
  'lines-more': '{lines} more',
  here: '← you are here',
  amount: '{count}',
  share: '{used}',
  // Help: the words of a command by its name and the name of an argument or the number of an example.
  'command-summary': '{text}',
  'command-argument': '{text}',
  'command-example': '{text}',
  'position-here': 'the current message',
  'position-start': 'before the first message',
} as const;

export type PhraseCode = keyof typeof commandPhrases;

/** A value that fills a placeholder of a phrase; each interface formats it in its language. */
export type PhraseValue =
  | string
  | number
  /** A quotation, shortened. */
  | { readonly quote: string }
  /** A node: the author, and the first words; null if the node has no text. */
  | { readonly who: string; readonly words: string | null }
  | { readonly count: number; readonly unit: PhraseUnit }
  /** A fraction between 0 and 1. */
  | { readonly share: number }
  /** A time ago; a unit of null is less than a minute. */
  | { readonly ago: number; readonly unit: 'year' | 'month' | 'day' | 'hour' | 'minute' | null }
  /** A word of a fixed list: a role, a kind of marker or a status. */
  | { readonly word: string }
  | { readonly parts: readonly Phrase[] };

/** The units of counts, as singular and plural. */
export const phraseUnits = {
  message: ['message', 'messages'],
  token: ['token', 'tokens'],
  node: ['node', 'nodes'],
  line: ['line', 'lines'],
  summary: ['branch summary', 'branch summaries'],
  compaction: ['compaction', 'compactions'],
  injected: ['injected message', 'injected messages'],
  state: ['state of an extension', 'states of an extension'],
} as const;

export type PhraseUnit = keyof typeof phraseUnits;

/** A sentence or a part of one: its code, and the values of its placeholders. */
export interface Phrase {
  readonly code: PhraseCode;
  readonly data: Readonly<Record<string, PhraseValue>>;
}

/** A line of a list: fixed text and phrases. */
export type PhraseLine = readonly (string | Phrase)[];

export function makePhrase(code: PhraseCode, data: Phrase['data'] = {}): Phrase {
  return { code, data };
}

/** Makes the value for a quotation, shortened. */
export function makeQuoteValue(text: string, most?: number): PhraseValue {
  return { quote: quoteBeginning(text, most).slice(1, -1) };
}

export function makeCountValue(count: number, unit: PhraseUnit): PhraseValue {
  return { count, unit };
}

/** Makes the value that names a node in a sentence. */
export function makeNodeValue(node: Pick<Node, 'text' | 'meta' | 'role' | 'kind'>): PhraseValue {
  const words = previewOf(node, 1);
  return { who: roleLabelOf(node), words: words === '' ? null : quoteBeginning(words).slice(1, -1) };
}

/** Makes the phrase for the author of a node, with the status of a reply that is not complete. */
export function makeSpeakerPhrase(node: Pick<Node, 'kind' | 'role' | 'status'>): Phrase {
  const who = { word: roleLabelOf(node) };
  if (node.status === 'success') return makePhrase('speaker', { who });
  return makePhrase('speaker-with-status', { who, status: { word: node.status } });
}

/** Makes the phrase for the summary of a command. */
export function makeSummaryPhrase({ name, summary }: { readonly name: string; readonly summary: string }): Phrase {
  return makePhrase('command-summary', { command: name, text: summary });
}

/** Makes the phrase for the description of an argument. */
export function makeArgumentPhrase(command: string, argument: string, about: string): Phrase {
  return makePhrase('command-argument', { command, argument, text: about });
}

/** Makes the value for an age in milliseconds. */
export function makeAgeValue(ms: number): PhraseValue {
  const { count, unit } = toAgeInLargestUnit(ms);
  return { ago: count, unit };
}

/** Returns the English text of a phrase. */
export function phraseToEnglish({ code, data }: Phrase): string {
  return commandPhrases[code].replace(/\{(\w+)\}/g, (_, name: string) => valueInEnglish(data[name] ?? ''));
}

function valueInEnglish(value: PhraseValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return value.toLocaleString('en');
  if ('quote' in value) return `“${value.quote}”`;
  if ('who' in value) return `${value.who} ${value.words === null ? '(no text)' : `“${value.words}”`}`;
  if ('count' in value) {
    const [one, many] = phraseUnits[value.unit];
    return formatCount(value.count, one, many);
  }
  if ('share' in value) return `${(value.share * 100).toFixed(value.share < 0.1 ? 1 : 0)} %`;
  if ('ago' in value) return value.unit === null ? 'just now' : `${formatCount(value.ago, value.unit)} ago`;
  if ('word' in value) return value.word;
  return joinEnglish(value.parts.map(phraseToEnglish));
}

function joinEnglish(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Builds the report of a command: its sentences as phrases and in English. */
export function makeCommandReport(...sentences: readonly Phrase[]): {
  readonly said: string;
  readonly did: readonly Phrase[];
} {
  return { said: sentences.map(phraseToEnglish).join(' '), did: sentences };
}

/** Builds the list that a command prints: its lines as phrases and in English. */
export function makeCommandListing(lines: readonly PhraseLine[]): {
  readonly text: string;
  readonly lines: readonly PhraseLine[];
} {
  return { text: lines.map(phraseLineToEnglish).join('\n'), lines };
}

/** Formats a line of a list in English. */
export function phraseLineToEnglish(line: PhraseLine): string {
  return line.map((part) => (typeof part === 'string' ? part : phraseToEnglish(part))).join('');
}
