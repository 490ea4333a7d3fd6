import type { AppError } from '@coppice/core';
import type { CommandDefinition } from './contract.ts';
import { commandError } from './errors.ts';
import { nearest } from './nearest.ts';

/** The error for an unknown command, with the closest known name. */
export function unknownCommand(name: string, commands: readonly CommandDefinition[]): AppError {
  const meant = nearest(
    name,
    commands.map((command) => command.name),
  );
  const hint = meant === undefined ? '/help lists what there is.' : `Did you mean /${meant}?`;
  return commandError('command/unknown', `There is no command /${name.slice(0, 64)}. ${hint}`, {
    name,
    ...(meant === undefined ? {} : { meant }),
  });
}
