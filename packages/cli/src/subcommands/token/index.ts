import { localTokenPath, openLocalToken, renewLocalToken } from '@coppice/engine/config';
import { makeUsageError } from '../../exit-codes.ts';
import { defineSubcommand } from '../contract.ts';

export const token = defineSubcommand({
  name: 'token',
  summary: 'show the token that signs you in to the page, or replace it',
  worksOn: 'this-computer',
  insteadOnServer: (server) =>
    `It concerns the token of this computer. Run it on the computer of the server, or open Settings, Access on ${server}.`,
  group: 'Manage',
  options: [{ name: 'new', summary: 'make a new token; every browser and program with the old one is signed out' }],
  examples: ['coppice token', 'coppice token --new'],
  async run(given, at) {
    const { env, home } = at.host;
    const path = localTokenPath({ env, home });
    const chosen = env['COPPICE_TOKEN'];
    if (chosen !== undefined && given.flag('new'))
      throw makeUsageError('The token is set by COPPICE_TOKEN. Change or unset that variable instead.');
    const current = chosen ?? (given.flag('new') ? await renewLocalToken(path) : (await openLocalToken(path)).current);
    const from = chosen === undefined ? path : 'COPPICE_TOKEN';
    return {
      data: { token: current, from },
      lines: [
        current,
        ...(given.flag('new')
          ? [at.output.style.quiet('The old token no longer works, not even on servers that are running.')]
          : []),
      ],
    };
  },
});
