/** Every setting of the configuration file, as the code that reads it declares it. */
import { parseConfig } from './load.ts';
import type { Setting } from './toml.ts';

// A section whose name the user chooses is read only if the file contains one, so this text contains an example of
// each. The keys of an MCP server depend on whether it has a command or a URL.
const oneOfEach = `
[providers.openai]
[models."provider/model"]
[mcp.servers.program]
command = ["program"]
[mcp.servers.address]
url = "http://127.0.0.1"
[proxy.projects]
project = "session"
`;

/** Lists the settings in the order in which they are read. */
export function listSettings(): readonly Setting[] {
  const found = new Map<string, Setting>();
  parseConfig({ name: 'example', text: oneOfEach }, {}, (setting) => {
    const id = setting.path.join('\n');
    if (!found.has(id)) found.set(id, setting);
  });
  return [...found.values()];
}
