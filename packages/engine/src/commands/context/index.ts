import { type ContextEntryKind, type NodeId, type ReadProgram, type Role, readTree } from '@coppice/core';
import { buildRequestMessages, compactionBudgetFor, contextOf, readContextPath } from '@coppice/core/context';
import { readBranchModel } from '../branch-model.ts';
import type { CommandScope, ContextUsage } from '../contract.ts';
import { defineCommand, optionArgument, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { quoteBeginning } from '../format.ts';
import {
  makeCommandListing,
  makeCommandReport,
  makeCountValue,
  makePhrase,
  type Phrase,
  type PhraseLine,
} from '../phrases.ts';

/** A message that would be sent to the model, with its estimated tokens. */
export interface ContextListEntry {
  /** Null for the system prompt. */
  readonly nodeId: NodeId | null;
  readonly kind: ContextEntryKind;
  readonly role: Role;
  readonly tokens: number;
  readonly preview: string;
}

/** `/context`: lists the messages that would be sent to the model. */
export const contextCommand = defineCommand({
  name: 'context',
  summary: 'Shows what the model would see here: each message with its tokens, and how full the context window is.',
  parameters: {
    node: optionalArgument('node', 'The last message of the branch; by default the current one.'),
    model: optionArgument('model', 'The model; by default the one of the branch.'),
  },
  examples: [
    { line: '/context', about: 'show the context and how much space is left' },
    { line: '/context --model anthropic', about: 'show it for another model' },
  ],
  questions: [
    'How many tokens does this chat use?',
    'How much space is left in the context window?',
    'How do I see what is sent to the model?',
  ],
  async run(scope, { node, model }) {
    const to = node === undefined ? scope.activeNodeId : ((await findCommandPosition(scope, node))?.id ?? null);
    const { found, chosen } = await scope.store.read(scope.treeId, () => readActiveContext(scope, to));
    const asked = await modelOfBranch(scope, model ?? chosen);
    const { flags } = buildRequestMessages(found, { systemInPlace: asked?.provider.supports.systemInPlace ?? true });
    const window = asked?.info.windowKnown === true ? asked.info.window : null;
    const gauge: ContextUsage = {
      model: asked?.id ?? null,
      window,
      estimate: found.estimate,
      used: window === null ? null : found.estimate.tokens / window,
    };
    const rows: ContextListEntry[] = found.entries.map(({ nodeId, kind, message, tokens }) => ({
      nodeId,
      kind,
      role: message.role,
      tokens,
      preview: quoteBeginning(scope.kit.text(message), 60).slice(1, -1),
    }));
    const compactAt = window === null ? null : window - compactionBudgetFor(window).reserve;
    return {
      ...makeCommandReport(contextSentence(rows.length, gauge, compactAt)),
      data: { ...gauge, compactAt, compaction: found.compaction?.nodeId ?? null, entries: rows, flags },
      list: rows.flatMap((row) => (row.nodeId === null ? [] : [row.nodeId])),
      ...makeCommandListing(contextLines(rows, gauge)),
    };
  },
});

function* readActiveContext(
  { treeId, kit }: CommandScope,
  to: NodeId | null,
): ReadProgram<{
  readonly found: ReturnType<typeof contextOf>;
  readonly chosen: string | undefined;
}> {
  const { attributes } = yield* readTree(treeId);
  const path = to === null ? [] : yield* readContextPath(to);
  const model = yield* readBranchModel(treeId, to);
  return { found: contextOf(path, { systemPrompt: attributes.systemPrompt, kit }), chosen: model?.model };
}

async function modelOfBranch({ models, signal }: CommandScope, name: string | undefined) {
  if (models === undefined) return undefined;
  return models.model(name ?? (await models.defaultModel(signal)));
}

function contextSentence(
  count: number,
  { estimate, window, used, model }: ContextUsage,
  compactAt: number | null,
): Phrase {
  const seen = { messages: makeCountValue(count, 'message'), tokens: makeCountValue(estimate.tokens, 'token') };
  if (used === null || window === null || compactAt === null || model === null)
    return model === null
      ? makePhrase('model-sees', seen)
      : makePhrase('model-sees-unknown-window', { ...seen, model });
  const values = { ...seen, model, window, used: { share: used } };
  const left = compactAt - estimate.tokens;
  return left > 0 ? makePhrase('model-sees-until', { ...values, left }) : makePhrase('model-sees-full', values);
}

const length = 24;

function contextLines(rows: readonly ContextListEntry[], { used }: ContextUsage): readonly PhraseLine[] {
  const full = used === null ? 0 : Math.min(length, Math.ceil(used * length));
  const bar: PhraseLine[] =
    used === null
      ? []
      : [[`[${'█'.repeat(full)}${'░'.repeat(length - full)}] `, makePhrase('share', { used: { share: used } })]];
  const widest = rows.reduce((most, row) => Math.max(most, row.tokens.toLocaleString('en').length), 0);
  // The numbers are those of `list`, which does not include the system prompt.
  let number = 0;
  const lines = rows.map(({ nodeId, kind, role, tokens, preview }): PhraseLine => {
    if (nodeId !== null) number++;
    const who = { word: kind === 'message' ? role : kind };
    const gap = ' '.repeat(widest - tokens.toLocaleString('en').length + 1);
    return [
      `${(nodeId === null ? '–' : `${number}.`).padEnd(4)}${gap}`,
      makePhrase('amount', { count: tokens }),
      '  ',
      makePhrase('speaker', { who }),
      `: ${preview}`,
    ];
  });
  return [...bar, ...lines];
}
