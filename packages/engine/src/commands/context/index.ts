import {
  type ContextKind,
  compactionBudget,
  contextOf,
  type NodeId,
  type Reading,
  type Role,
  readContextPath,
  readTree,
  requestMessages,
} from '@coppice/core';
import { readBranchModel } from '../branch-model.ts';
import type { CommandScope, Gauge } from '../contract.ts';
import { defineCommand, maybe, option } from '../define.ts';
import { findPlace } from '../find-node.ts';
import { counted, quote } from '../say.ts';

/** One message that the model would see. */
export interface ContextRow {
  /** Null for the system prompt. */
  readonly nodeId: NodeId | null;
  readonly kind: ContextKind;
  readonly role: Role;
  readonly tokens: number;
  readonly preview: string;
}

/** What the model would see. */
export const context = defineCommand({
  name: 'context',
  summary: 'Shows what the model would see here: each message with its tokens, and how full the window is.',
  parameters: {
    node: maybe('node', 'The end of the branch; where you are if not given.'),
    model: option('model', 'For this model; the one of the branch if not given.'),
  },
  examples: [
    { line: '/context', about: 'what is in force, and how much room is left' },
    { line: '/context --model anthropic', about: 'the same for another window' },
  ],
  async run(scope, { node, model }) {
    const to = node === undefined ? scope.activeNodeId : ((await findPlace(scope, node))?.id ?? null);
    const { found, chosen } = await scope.store.read(scope.treeId, () => readInForce(scope, to));
    const asked = await modelFor(scope, model ?? chosen);
    const { flags } = requestMessages(found, { systemInPlace: asked?.provider.supports.systemInPlace ?? true });
    const window = asked?.info.windowKnown === true ? asked.info.window : null;
    const gauge: Gauge = {
      model: asked?.id ?? null,
      window,
      estimate: found.estimate,
      used: window === null ? null : found.estimate.tokens / window,
    };
    const rows: ContextRow[] = found.entries.map(({ nodeId, kind, message, tokens }) => ({
      nodeId,
      kind,
      role: message.role,
      tokens,
      preview: quote(scope.kit.text(message), 60).slice(1, -1),
    }));
    const compactAt = window === null ? null : window - compactionBudget(window).reserve;
    return {
      said: sentence(rows.length, gauge, compactAt),
      data: { ...gauge, compactAt, compaction: found.compaction?.nodeId ?? null, entries: rows, flags },
      list: rows.flatMap((row) => (row.nodeId === null ? [] : [row.nodeId])),
      text: render(rows, gauge),
    };
  },
});

function* readInForce(
  { treeId, kit }: CommandScope,
  to: NodeId | null,
): Reading<{
  readonly found: ReturnType<typeof contextOf>;
  readonly chosen: string | undefined;
}> {
  const { attributes } = yield* readTree(treeId);
  const path = to === null ? [] : yield* readContextPath(to);
  const model = yield* readBranchModel(treeId, to);
  return { found: contextOf(path, { systemPrompt: attributes.systemPrompt, kit }), chosen: model?.model };
}

async function modelFor({ models, signal }: CommandScope, name: string | undefined) {
  if (models === undefined) return undefined;
  return models.model(name ?? (await models.defaultModel(signal)));
}

function sentence(count: number, { estimate, window, used, model }: Gauge, compactAt: number | null): string {
  const tokens = `${counted(count, 'message')}, about ${counted(estimate.tokens, 'token')}`;
  if (used === null || window === null || compactAt === null)
    return `The model sees ${tokens}${model === null ? '' : `; the window of ${model} is not known`}.`;
  const room = compactAt - estimate.tokens;
  const left = room > 0 ? `${room.toLocaleString('en')} until older messages are summed up` : 'it is time to /compact';
  return `${model} sees ${tokens}: ${percent(used)} of its window of ${window.toLocaleString('en')}, ${left}.`;
}

function percent(used: number): string {
  return `${(used * 100).toFixed(used < 0.1 ? 1 : 0)} %`;
}

const length = 24;

function render(rows: readonly ContextRow[], { used }: Gauge): string {
  const full = used === null ? 0 : Math.min(length, Math.ceil(used * length));
  const bar = used === null ? [] : [`[${'█'.repeat(full)}${'░'.repeat(length - full)}] ${percent(used)}`];
  const widest = rows.reduce((most, row) => Math.max(most, row.tokens.toLocaleString('en').length), 0);
  // Numbers are those of the list, in which the system prompt has no place.
  let number = 0;
  const lines = rows.map(({ nodeId, kind, role, tokens, preview }) => {
    if (nodeId !== null) number++;
    const who = kind === 'message' ? role : kind;
    return `${(nodeId === null ? '–' : `${number}.`).padEnd(4)} ${tokens.toLocaleString('en').padStart(widest)}  ${who}: ${preview}`;
  });
  return [...bar, ...lines].join('\n');
}
