/**
 * Links sub-agents to the tool call that started them. Each sub-agent has its own tree. Its metadata names the parent
 * (`spawnedBy`), and rows of external ids lead from the parent to its children.
 */
import { extractUserWords, findSubAgents } from '@coppice/content';
import {
  ask,
  isText,
  isToolUse,
  type JsonObject,
  type Message,
  type NodeId,
  type Store,
  type TreeId,
} from '@coppice/core';
import { getText, isJsonObject } from '@coppice/core/decode';
import { sha256 } from '#platform/crypto';

const spawnFormat = 'proxy-spawn';
// The tools with which programs spawn agents, and the parameters that contain the task.
const spawningTool = /agent|task|spawn|delegat|dispatch/i;
const taskParameters = ['prompt', 'message', 'task', 'instructions', 'input'];
const nameParameter = 'task_name';

/** The tool call that started a sub-agent. */
export interface SpawningCall {
  readonly nodeId: NodeId;
  readonly call: string;
  readonly agentType: string | null;
  readonly description: string | null;
}

function nameOfTask(text: string): string {
  const words = extractUserWords(text);
  return sha256((words === '' ? text : words).trim(), 'hex');
}

/** Returns the key of a task for which only the name of the agent is known. */
function nameOfAgent(agent: string): string {
  return nameOfTask(`${nameParameter} ${agent}`);
}

function textIn(message: Message): string {
  return message.content.map((block) => (isText(block) ? block.text : '')).join('\n');
}

/** Returns the keys of the tasks that a reply gives to agents, with their tool calls. */
function tasksOf(
  message: Message,
): { readonly name: string; readonly call: string; readonly parameters: JsonObject }[] {
  return message.content.flatMap((block) => {
    if (!isToolUse(block) || !spawningTool.test(block.name) || !isJsonObject(block.parameters)) return [];
    const { id: call, parameters } = block;
    const agent = getText(parameters, nameParameter) ?? '';
    const named = agent === '' ? [] : [{ name: nameOfAgent(agent), call, parameters }];
    const tasks = taskParameters.flatMap((key) => {
      const text = getText(parameters, key);
      return text === undefined || text.trim() === '' ? [] : [{ name: nameOfTask(text), call, parameters }];
    });
    return [...tasks, ...named];
  });
}

/** Returns the external id rows with which the call that spawned an agent is found later. */
export function buildSpawnExternalIds(
  treeId: TreeId,
  nodeId: NodeId,
  reply: Message,
): { treeId: TreeId; nodeId: NodeId; format: string; scope: string; id: string }[] {
  const names = new Set(tasksOf(reply).map(({ name }) => name));
  return [...names].map((id) => ({ treeId, nodeId, format: spawnFormat, scope: treeId, id }));
}

/**
 * Finds the call of a tree that contains the task at the beginning of a history, or the name of the agent; null if no
 * call does.
 */
export async function findSpawningCall(
  store: Store,
  parent: TreeId,
  history: readonly Message[],
  isTaken: (call: string) => boolean = () => false,
  agentName: string | null = null,
): Promise<SpawningCall | null> {
  // The task is the first message with words besides additions of the program.
  const task = history.find((message) => message.role === 'user' && extractUserWords(textIn(message)) !== '');
  const names = [
    ...(agentName === null ? [] : [nameOfAgent(agentName)]),
    ...(task === undefined ? [] : [nameOfTask(textIn(task))]),
  ];
  for (const name of names) {
    for (const { nodeId } of await store.findExternalIds(spawnFormat, parent, [name])) {
      if (nodeId === null) continue;
      const node = await store.read(parent, () => ask('node', { id: nodeId }));
      if (node?.message == null) continue;
      const found = tasksOf(node.message).find((one) => one.name === name && !isTaken(one.call));
      if (found !== undefined) return describeSpawn(nodeId, found.call, found.parameters);
    }
  }
  return null;
}

function describeSpawn(nodeId: NodeId, call: string, parameters: JsonObject): SpawningCall {
  const agentType = getText(parameters, 'subagent_type') ?? getText(parameters, 'agent_type') ?? null;
  const named = getText(parameters, nameParameter)?.replaceAll(/[_-]+/g, ' ');
  return { nodeId, call, agentType, description: getText(parameters, 'description') ?? named ?? null };
}

/** Returns the tool calls of a tree that already have a sub-agent other than `except`. */
export async function findCallsWithSubAgent(
  store: Store,
  parent: TreeId,
  except: TreeId,
): Promise<ReadonlySet<string>> {
  const agents = (await findSubAgents(store, [parent])).get(parent) ?? [];
  return new Set(agents.flatMap(({ treeId, call }) => (call === null || treeId === except ? [] : [call])));
}
