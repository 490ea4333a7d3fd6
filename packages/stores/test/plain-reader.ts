/** Reads store folders without any code of Coppice: the registry, one file per node, and the child lists. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A message with its children, read without Coppice. */
export interface PlainNode {
  readonly id: string;
  readonly root_id: string;
  readonly parent_id: string;
  readonly child_ids: readonly string[];
  readonly message: {
    readonly role: string;
    readonly content: readonly { readonly type: string; readonly text?: string }[];
  };
  readonly metadata: {
    readonly timestamp: string;
    readonly original_root_id: string;
    readonly source_info: { type: string };
  };
}

/** A tree, read without Coppice. */
export interface PlainRoot {
  readonly id: string;
  readonly createdAt: string;
  readonly child_ids: readonly string[];
  readonly config: { readonly systemPrompt?: string };
}

/**
 * Returns the texts of every branch of every tree by following child lists. Throws if a list does not match the files.
 */
export function readFolderWithoutCoppice(
  folder: string,
): { readonly root: PlainRoot; readonly branches: readonly string[] }[] {
  const roots: PlainRoot[] = JSON.parse(readFileSync(join(folder, 'roots.json'), 'utf8'));
  return roots.map((root) => {
    const names = readdirSync(join(folder, root.id, 'nodes'));
    const nodes: PlainNode[] = names.map((name) =>
      JSON.parse(readFileSync(join(folder, root.id, 'nodes', name), 'utf8')),
    );
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const branches: string[] = [];
    let seen = 0;
    const open = [...root.child_ids].reverse().map((id) => ({ id, parent: root.id, said: '' }));
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const node = byId.get(at.id);
      if (node === undefined || node.parent_id !== at.parent || node.root_id !== root.id)
        throw new Error(`${at.parent} lists ${at.id}, which is not its child.`);
      seen++;
      const text = node.message.content.map((block) => block.text ?? `<${block.type}>`).join('');
      const said = at.said === '' ? text : `${at.said} / ${text}`;
      if (node.child_ids.length === 0) branches.push(said);
      for (const id of [...node.child_ids].reverse()) open.push({ id, parent: node.id, said });
    }
    if (seen !== nodes.length) throw new Error(`${root.id} has ${nodes.length} files, and lists lead to ${seen}.`);
    return { root, branches };
  });
}
