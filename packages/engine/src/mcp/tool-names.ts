/** What models call the tools of servers by. */
import { canonicalJson, sha256Hex } from '@coppice/content';

// What every provider takes as the name of a function.
const longest = 64;

/**
 * The names of a server's tools, by the server's own. `server__tool` where that fits; a name with other characters, or one
 * that is too long, is changed and gets a hash of what it was, so that it depends on the tool alone and not on which
 * others there are. Where such a name is another tool's own already, the hash is longer.
 */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
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
  // In the order of their names, so that it does not matter in which order a server lists them.
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
