/** Lists and acknowledges calls that the recording proxy could not record. */
import { configPath } from '@coppice/engine/config';
import type { FailedCall, FailedCalls } from '@coppice/server';
import type { CliContext } from './cli-context.ts';
import { toOneLine } from './terminal/strip-control-sequences.ts';

/** Returns the folder for calls that wait to be recorded, and for calls that could not be recorded. */
export async function overflowFolderOf({ host }: CliContext): Promise<string> {
  const { overflowFolderBeside } = await import('@coppice/server');
  return overflowFolderBeside(configPath({ env: host.env, home: host.home }).path);
}

/** Opens the list of failed calls of this computer. */
export async function openFailedCalls(at: CliContext): Promise<FailedCalls> {
  const server = await import('@coppice/server');
  return new server.FailedCalls(await overflowFolderOf(at));
}

type ShownCall = Pick<FailedCall, 'at' | 'project' | 'model' | 'code'> & {
  /** The reason of the failure; null on a server unless the user is an admin. */
  readonly reason: string | null;
};

/** Returns one line for a failed call: when, which model and project, and why. */
export function describeFailedCall({ at, project, model, code, reason }: ShownCall): string {
  const words = [new Date(at).toISOString(), project, toOneLine(model ?? '?', 40), code, toOneLine(reason ?? '', 200)];
  return words.join('  ').trimEnd();
}
