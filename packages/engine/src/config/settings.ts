/** Every setting of the configuration file, as the code that reads it declares it. */
import { parseConfig } from './load.ts';
import type { Setting } from './toml.ts';

// A section whose name the user chooses is read only if the file has one, so this text has one of each. An MCP server
// has other keys with a command than with a URL.
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
