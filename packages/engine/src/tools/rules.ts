/** What the operator says about tools, held wherever they are called. */
import type { ToolsConfig } from '../config/contract.ts';
import type { ToolLimits } from './call.ts';
import type { Approve } from './contract.ts';

/** The operator's word about single tools, and about those with side effects that neither list names. */
export type ToolRules = Pick<ToolsConfig, 'approval' | 'allow' | 'deny'>;

/** Everybody is asked, nobody is let through or kept out. */
export const askAlways: ToolRules = { approval: 'ask', allow: [], deny: [] };

/** What a registry is to be made with, by the configuration. */
export function toolSettings({ tools }: { readonly tools: ToolsConfig }): {
  readonly limits: Pick<ToolLimits, 'timeoutMs' | 'resultBytes'>;
  readonly rules: ToolRules;
} {
  const { approval, allow, deny, timeoutMs, outputBytes } = tools;
  return { limits: { timeoutMs, resultBytes: outputBytes }, rules: { approval, allow, deny } };
}

/** Who decides about a call of a tool with side effects: the rules where they say something, else whoever is asked. */
export function approvalFromRules({ approval, allow }: ToolRules, ask: Approve | undefined): Approve | undefined {
  if (approval === 'ask' && allow.length === 0) return ask;
  return (request) => {
    const { name, hash } = request;
    if (allow.includes(name) || approval === 'always') return { approved: true, hash };
    if (approval === 'never') return { approved: false, reason: 'the operator allows no tool that changes things' };
    return ask?.(request) ?? { approved: false, reason: 'nobody is there to approve it' };
  };
}
