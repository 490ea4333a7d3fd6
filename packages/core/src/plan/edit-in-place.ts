import { refuse } from '../errors.ts';
import { type Block, hasToolUse, isText, type Message, type TextBlock } from '../message.ts';
import type { ReadProgram } from '../reads.ts';
import { inversePatch } from '../rows.ts';
import type { Step } from '../steps/types.ts';
import { buildSelectSteps, type Plan, type PlanContext, requireTree, toPlan } from './context.ts';
import { buildReplaceStep, type EditableNode, type EditCommand, type EditResult } from './edit-types.ts';

/** Replaces the text of a node; the log keeps the old content under the version that wrote it. */
export function* editInPlace(
  command: EditCommand,
  context: PlanContext,
  node: EditableNode,
  message: Message,
): ReadProgram<Plan<EditResult>> {
  if (hasToolUse(node.message) || hasToolUse(message))
    return refuse('message/has-tool-use', `The message ${node.id} calls a tool: edit it as a new variant.`, {
      nodeId: node.id,
    });
  const kept = JSON.stringify(node.message.content.filter((block) => !isText(block)));
  const given = JSON.stringify(message.content.filter((block) => !isText(block)));
  const content = typeof command.content === 'string' ? textReplaced(node.message, command.content) : message.content;
  if (typeof command.content !== 'string' && kept !== given)
    return refuse('message/invalid', `An edit in place can change only the text of ${node.id}.`, { nodeId: node.id });
  if (JSON.stringify(content) === JSON.stringify(node.message.content))
    return toPlan([], { nodeId: node.id, added: [] });
  // Saving a text does not move the active node unless the command requests it.
  const moves = command.select === true ? buildSelectSteps(yield* requireTree(context), node.id) : [];
  const after: Message = { ...node.message, content: content.map(dropSignatures) };
  return toPlan([buildReplaceStep(context, node, { message: after }), ...sourceSteps(node), ...moves], {
    nodeId: node.id,
    added: [],
  });
}

/**
 * Sets the user as the source of an edited text. Undo and restoring an earlier version restore the old source with the
 * text.
 */
function sourceSteps({ id, role, meta }: EditableNode): Step[] {
  const { source } = meta;
  if (source?.type === 'user' || (source === undefined && role !== 'assistant')) return [];
  const after = { source: { type: 'user' } };
  return [{ type: 'annotate', nodeId: id, after, before: inversePatch(meta, after) }];
}

function textReplaced(message: Message, text: string): readonly Block[] {
  const replaced: TextBlock = { type: 'text', text };
  const first = message.content.findIndex(isText);
  if (first === -1) return [...message.content, replaced];
  return message.content.flatMap((block, index) => (index === first ? [replaced] : isText(block) ? [] : [block]));
}

// Drops signatures, because providers reject a signature over text that they did not generate.
function dropSignatures(block: Block): Block {
  const kept = Object.entries(block).filter(([key]) => !key.toLowerCase().endsWith('signature'));
  return kept.length === Object.keys(block).length ? block : { ...Object.fromEntries(kept), type: block.type };
}
