/** Assigns the names by which models call the tools of MCP servers. */
import { canonicalJson, sha256Hex } from '@coppice/content';

// The longest function name that every provider accepts.
const longest = 64;

/**
 * Assigns a name to each tool of a server: `server__tool` if providers accept that. Any other name is shortened or
 * changed and gets a hash of the original, so that it does not depend on the other tools. If another tool has that name
 * already, the hash is longer.
 */
export function assignToolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const odd: string[] = [];
  for (const tool of new Set(tools)) {
    const plain = `${server}__${tool}`;
    if (/^[A-Za-z0-9_-]+$/.test(tool) && plain.length <= longest) {
      names.set(tool, plain);
      taken.add(plain);
    } else odd.push(tool);
  }
  // Sorted, so that the result does not depend on the order of the server's list.
  for (const tool of odd.sort()) {
    const hash = sha256Hex(canonicalJson([server, tool]));
    const safe = `${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
    for (let length = 8; length <= 24; length += 8) {
      const name = `${safe.slice(0, longest - length - 1)}_${hash.slice(0, length)}`;
      if (taken.has(name)) continue;
      names.set(tool, name);
      taken.add(name);
      break;
    }
  }
  return names;
}
