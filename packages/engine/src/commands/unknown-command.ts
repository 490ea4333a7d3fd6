import type { AppError } from '@coppice/core';
import { findNearestName } from '@coppice/core/decode';
import type { CommandDefinition } from './contract.ts';
import { makeCommandError } from './errors.ts';

/** Builds the error for an unknown command; it suggests the most similar name. */
export function makeUnknownCommandError(name: string, commands: readonly CommandDefinition[]): AppError {
  const meant = findNearestName(
    name,
    commands.map((command) => command.name),
  );
  const hint = meant === undefined ? '/help lists what there is.' : `Did you mean /${meant}?`;
  return makeCommandError('command/unknown', `There is no command /${name.slice(0, 64)}. ${hint}`, {
    name,
    ...(meant === undefined ? {} : { meant }),
  });
}
