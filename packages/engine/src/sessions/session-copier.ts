/** Copies sessions for slash commands: to session files, or within a store. */

import type { SessionFiles } from '@coppice/content/sessions';
import type { ChatCopier } from '../commands/contract.ts';
import { treeCopier } from '../commands/copy.ts';
import type { AgentSession } from './agent-session.ts';
import { type SyncOptions, writeTreeAsSession } from './sync.ts';

/** Creates the copier of a session. A copy is a new file with the same ids, in which the session continues. */
export function createSessionCopier(session: AgentSession, options: SyncOptions): ChatCopier {
  return {
    async copy({ nodeId, whole }) {
      const { index } = session.manager;
      const line = index.lineOf(nodeId);
      const file = session.continueInCopy(line < 0 ? nodeId : index.file.uuidAt(line), whole);
      const row = await (await session.store()).trees();
      const [made] = row.items;
      return { treeId: session.treeId, activeNodeId: made?.activeNodeId ?? null, file };
    },
    exportBranch: writeCopy(options, () => copyFolder(session.manager.path)),
  };
}

/** The options of the copier of a store. */
interface StoreCopierOptions extends Omit<SyncOptions, 'files'> {
  /** The session files, or a function that loads them with the first export. */
  readonly files: SessionFiles | (() => Promise<SessionFiles>);
  readonly folder: string;
}

/** Creates the copier of a store. Copies are trees of the store; `/export-branch` writes session files to a folder. */
export function createTreeCopier({ files: given, folder, ...options }: StoreCopierOptions): ChatCopier {
  return {
    copy: treeCopier.copy,
    async exportBranch(request) {
      const files = typeof given === 'function' ? await given() : given;
      return writeCopy({ ...options, files }, () => folder)(request);
    },
  };
}

function writeCopy(options: SyncOptions, folder: () => string): NonNullable<ChatCopier['exportBranch']> {
  return ({ store, treeId, nodeId, pathOnly, to }) =>
    writeTreeAsSession(store, treeId, to === undefined || to === '' ? { folder: folder() } : { path: to }, {
      ...options,
      part: { nodeId, pathOnly },
    });
}

function copyFolder(path: string): string {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return at < 0 ? '.' : path.slice(0, at);
}
