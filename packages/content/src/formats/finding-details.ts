/**
 * The details of import findings, by code; `{}` stands for a value. The page translates the code, so that the English
 * text can change without breaking a translation.
 */
export const findingDetailTexts = {
  'lines-before-first-run': 'lines before the first run',
  'not-a-conversation': 'not a chat',
  'not-a-task': 'not a task',
  'no-prompt': 'no prompt',
  'thread-id': 'the id of its thread',
  'not-a-codex-line': 'not a line of Codex',
  'not-a-rollout-line': 'not a line of a rollout file',
  'forked-session-header': 'the header of the session from which this one was forked',
  'change-of-missing-value': 'a change to a value that does not exist',
  'neither-message-nor-session': 'neither a message nor a session',
  session: 'its session',
  'tool-calls': 'its tool calls',
  'not-in-a-tree': 'not a message of a tree',
  'part-of-missing-message': 'a part of a message that is not in the file',
  message: 'message {}',
  image: 'an image',
  'block-without-id': 'a block without an id',
  'not-a-change': 'not a change of the session',
  'fold-expanded': 'a folded text was expanded',
  'line-without-type': 'a line without a type',
  'node-without-id': 'a node without an id',
  'data-not-json': 'its data is not JSON',
  header: 'its header',
  'last-commit-incomplete': 'its last commit is incomplete',
  'parent-inferred': 'its parent: the message before it',
  'text-not-among-swipes': 'its text is not one of its swipes: both are kept, the text is the current one',
  'own-id': 'its id: it names itself {}',
  'no-address': 'no address',
  'no-call-above': 'no call above it',
  'no-call-with-messages': 'no call with messages',
  'no-such-call': 'no call {}',
  'no-history': 'no history',
  'no-id-or-type': 'no id or no type',
  'no-mapping': 'no mapping',
  'not-a-message': 'not a message',
  'no-messages': 'no messages',
  'no-name': 'no name',
  'not-a-node': 'not a node',
  'not-an-object': 'not an object',
  'not-a-list': '{} is not a list',
  'names-of-folders': 'the names of {} folders',
  'text-in-wrong-place': 'its record has text in a field where this format has none',
  'text-in-unknown-fields': 'its text is in unknown fields',
  'no-author': 'no message names its author',
  'record-outside-chain': 'a record with an id outside the chain of messages',
  'foreign-session-header': "the header of another program's session",
  'id-without-message-id': 'its id: it has no messageId',
  'no-message-ids': 'no message has a messageId',
  'no-nested-texts': 'no nested texts',
  'claude-code-line': 'a line of Claude Code',
  'no-root': 'no root',
  'not-a-message-row': 'not the row of a message',
  'not-a-topic': 'not a topic',
  'not-a-tree': 'not a tree',
  'kept-messages-missing': 'none of the messages that it kept is in the file',
  'outside-trees': 'outside any tree',
  'trailing-content': 'more text follows after the end of the document',
  archive: 'the archive',
  'archive-incomplete': 'the archive is incomplete',
  conversation: 'the chat',
  'conversation-incomplete': 'the chat is incomplete',
  'fold-end-missing': 'the end of the folded text is not in the file',
  'file-incomplete': 'the file ends too early',
  'file-incomplete-here': 'the file ends in this line',
  'question-not-before': 'the question {} does not come before it',
  'messages-in-list': 'its messages are stored as one list; open the session once, then import it',
  'text-differs-here': 'its text here is different',
  'text-changed-at-source': 'its text at the source has changed',
  'text-changed-on-both-sides': 'its text at the source has changed, and it was edited here',
  'data-changed-at-source': 'only its other data has changed',
  'data-changed-and-edited': 'only its other data has changed; it was edited here',
  'message-count': '{} messages',
  'root-count': '{} of them',
  'lines-in-another-file': '{} lines are also in another file',
  'listed-and-present': '{} listed, {} present',
  'branch-field': 'message {} has the field {}, and this format has no branches',
  'nothing-of-format': 'it contains nothing of {}',
  renamed: '{} became {}',
  'not-in-roots': '{} is not in roots.json',
  'results-without-call': '{} results without a call',
  'blocks-without-message': '{} blocks that belong to no message',
  attachment: 'attachment {}',
  block: 'block {}',
  bookmark: 'bookmark {} on {}',
  generation: 'generation {}',
  continues: 'it continues {}',
  id: 'id {}',
  item: 'item {}',
  'no-block': 'no block',
  'no-entry': 'no entry',
  'no-part': 'no part',
  'no-role': 'no role',
  'no-sender': 'no sender',
  entry: 'entry {}',
  parent: 'parent {}',
  part: 'part {}',
  role: 'role {}',
  root: 'root {}',
  sender: 'sender {}',
  'no-type': 'no type',
  type: 'type {}',
  line: 'line {}',
  event: 'event {}',
  step: 'step {}',
  fragment: 'fragment {}',
  'no-line': 'no line type',
  'no-item': 'no item type',
  'no-event': 'no event type',
  'no-attachment': 'no attachment type',
  'no-step': 'no step type',
  'no-fragment': 'no fragment type',
} as const;

/** A key of {@link findingDetailTexts}. */
export type FindingDetailCode = keyof typeof findingDetailTexts;

/** A detail with the values for its placeholders. */
export interface FindingDetail {
  readonly detailCode: FindingDetailCode;
  readonly detailValues: readonly string[];
}

/** Builds a detail; the values replace the placeholders in order. */
export function buildFindingDetail(
  detailCode: FindingDetailCode,
  ...values: readonly (string | number)[]
): FindingDetail {
  return { detailCode, detailValues: values.map(String) };
}

/** Returns the English text of a detail, with the values in place of its placeholders. */
export function formatFindingDetail({ detailCode, detailValues }: FindingDetail): string {
  let next = 0;
  return findingDetailTexts[detailCode].replaceAll('{}', () => detailValues[next++] ?? '');
}
