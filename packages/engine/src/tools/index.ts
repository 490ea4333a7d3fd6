/** The public names of the tools. */

export { GrantedApprovals, hashToolCall } from './approval.ts';
export { defaultToolLimits, type ToolLimits } from './call.ts';
export { ToolResultContent } from './content.ts';
export * from './contract.ts';
export { defineTool, type ToolSpecification } from './define.ts';
export { makeToolError } from './errors.ts';
export { builtInTools, createTools, type ToolRegistry, type ToolsOptions } from './registry.ts';
export { type ToolRules, toToolSettings } from './rules.ts';
