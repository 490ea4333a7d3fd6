/** The operator's rules for tools, applied to all calls. */
import type { ToolsConfig } from '../config/contract.ts';
import type { ToolLimits } from './call.ts';
import type { Approve } from './contract.ts';

/** Rules for single tools, and for tools with side effects that neither list names. */
export type ToolRules = Pick<ToolsConfig, 'approval' | 'allow' | 'deny'>;

/** Every call needs approval; no tool is allowed or denied. */
export const alwaysAskRules: ToolRules = { approval: 'ask', allow: [], deny: [] };

/** The registry's settings from the configuration. */
export function toToolSettings({ tools }: { readonly tools: ToolsConfig }): {
  readonly limits: Pick<ToolLimits, 'timeoutMs' | 'resultBytes'>;
  readonly rules: ToolRules;
} {
  const { approval, allow, deny, timeoutMs, outputBytes } = tools;
  return { limits: { timeoutMs, resultBytes: outputBytes }, rules: { approval, allow, deny } };
}

/** Decides about calls of tools with side effects: by the rules if they apply, else with `ask`. */
export function approvalFromRules({ approval, allow }: ToolRules, ask: Approve | undefined): Approve | undefined {
  if (approval === 'ask' && allow.length === 0) return ask;
  return (request) => {
    const { name, hash } = request;
    if (allow.includes(name) || approval === 'always') return { approved: true, hash };
    if (approval === 'never') return { approved: false, reason: 'the operator allows no tool that changes things' };
    return ask?.(request) ?? { approved: false, reason: 'nobody is there to approve it' };
  };
}
