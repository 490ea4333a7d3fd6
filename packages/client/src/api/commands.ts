/** The methods of the API for slash commands. */
import type { NodeId, TreeId } from '@coppice/core';
import type { CommandAnswer, CommandPhrase, CommandView } from '../api-types.ts';
import { type Routes, readResponse, treeParams } from './request.ts';

/** The position at which a slash command runs: the end of the view, and the nodes that it may refer to by number. */
export interface CommandPositionInput {
  readonly activeNodeId: NodeId | null;
  readonly list: readonly NodeId[];
}

/** Creates the methods that list, run and complete slash commands. */
export function createCommandMethods(routes: Routes) {
  return {
    commands: () => readResponse<{ readonly items: readonly CommandView[] }>(routes.GET('/api/commands')),
    command: (tree: TreeId, line: string, { activeNodeId, list }: CommandPositionInput) =>
      readResponse<CommandAnswer>(
        routes.POST('/api/trees/{tree}/commands', {
          params: treeParams(tree),
          body: { line, activeNodeId, list: [...list] },
        }),
      ),
    complete: (tree: TreeId, line: string, activeNodeId: NodeId | null) =>
      readResponse<{
        readonly from: number;
        readonly items: readonly {
          readonly value: string;
          readonly label: string;
          readonly about: string;
          readonly phrase?: CommandPhrase;
        }[];
      }>(
        routes.POST('/api/trees/{tree}/commands/complete', { params: treeParams(tree), body: { line, activeNodeId } }),
      ),
  } as const;
}
