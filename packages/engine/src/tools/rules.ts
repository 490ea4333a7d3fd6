/** The operator's rules for tools, which apply to all calls. */
import type { ToolsConfig } from '../config/contract.ts';
import type { ToolLimits } from './call.ts';
import type { Approve } from './contract.ts';

/** Which tools are allowed or denied, and what applies to other tools with side effects. */
export type ToolRules = Pick<ToolsConfig, 'approval' | 'allow' | 'deny'>;

/** Rules by which every call of a tool with side effects needs approval. */
export const alwaysAskRules: ToolRules = { approval: 'ask', allow: [], deny: [] };

/** Returns the limits and rules of the registry from the configuration. */
export function toToolSettings({ tools }: { readonly tools: ToolsConfig }): {
  readonly limits: Pick<ToolLimits, 'timeoutMs' | 'resultBytes'>;
  readonly rules: ToolRules;
} {
  const { approval, allow, deny, timeoutMs, outputBytes } = tools;
  return { limits: { timeoutMs, resultBytes: outputBytes }, rules: { approval, allow, deny } };
}

/** Returns a function that decides about calls by the rules, and asks `ask` if no rule applies. */
export function approvalFromRules({ approval, allow }: ToolRules, ask: Approve | undefined): Approve | undefined {
  if (approval === 'ask' && allow.length === 0) return ask;
  return (request) => {
    const { name, hash } = request;
    if (allow.includes(name) || approval === 'always') return { approved: true, hash };
    if (approval === 'never') return { approved: false, reason: 'the operator allows no tool that changes things' };
    return ask?.(request) ?? { approved: false, reason: 'nobody is there to approve it' };
  };
}
