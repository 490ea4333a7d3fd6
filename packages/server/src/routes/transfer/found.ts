/** The routes that list and import conversations of other programs on this computer. */
import { omitUndefined } from '@coppice/core/decode';
import { z } from '@hono/zod-openapi';
import { type ComputerEnvironment, findProgramChatFiles, findPrograms, programChatFolders } from '../../found/index.ts';
import { throwHttpError } from '../../http-errors.ts';
import type { SharedServices } from '../../services.ts';
import { listOfSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';
import { importViewSchema, toImportView } from './importing.ts';

const program = z
  .object({
    /** The format with which the files of the program are imported. */
    format: z.string(),
    label: z.string(),
    folders: listOfSchema(z.string()),
    sessions: z.number(),
    bytes: z.number(),
    changedAt: z.number(),
  })
  .openapi('FoundProgram');

/**
 * Returns the paths of the user at this computer; null unless the server has a single user and listens on loopback,
 * because other servers must not read files of a user.
 */
function localPaths({ auth, bound, computer }: SharedServices): ComputerEnvironment | null {
  return auth.mode === 'token' && bound.isLoopback ? computer : null;
}

const list = defineRoute({
  method: 'get',
  path: '/api/found',
  name: 'listFoundPrograms',
  summary:
    'Counts the conversations of other programs on this computer. `offered` is false unless this is a single-user server on this computer.',
  answer: z.object({ offered: z.boolean(), items: listOfSchema(program) }),
  async handle({ services }) {
    const paths = localPaths(services);
    if (paths === null) return toReply({ offered: false, items: [] });
    const programs = await findPrograms(paths);
    return toReply({ offered: true, items: programs.map((one) => ({ ...one, folders: [...one.folders] })) });
  },
});

const begin = defineRoute({
  method: 'post',
  path: '/api/found/imports',
  name: 'importFound',
  summary:
    'Starts an import of all conversations of one program on this computer. Follow it below `/api/imports`, like an upload. The files of the program are only read.',
  body: z.strictObject({
    format: z.string().max(64),
    strict: z.boolean().optional(),
    dryRun: z.boolean().optional(),
  }),
  answer: importViewSchema,
  status: 202,
  async handle({ services, caller, ownerServices, body }) {
    const paths = localPaths(services);
    if (paths === null)
      return throwHttpError(
        'http/forbidden',
        'Conversations on this computer can be imported only on a single-user server that listens on this computer.',
      );
    const places = programChatFolders.filter(({ format }) => format === body.format);
    const [program] = places;
    if (program === undefined)
      return throwHttpError('http/not-found', `There is no program with the format ${body.format}.`);
    const slot = await services.imports.admit(caller.owner);
    try {
      const files = (await Promise.all(places.map((place) => findProgramChatFiles(place, paths)))).flat();
      if (files.length === 0)
        return throwHttpError('http/not-found', `There are no conversations of ${program.label} on this computer.`);
      const { kit, now, newId } = services;
      const { strict, dryRun } = body;
      const chosen = { format: program.format, follow: true, ...omitUndefined({ strict, dryRun }) };
      const options = { actor: caller.actor, kit, now, newId, ...chosen };
      const live = await slot.begin({ id: newId(), name: program.label, store: ownerServices.store, files, options });
      return toReply(toImportView(live));
    } finally {
      slot.leave();
    }
  },
});

export const foundProgramRoutes = [list, begin];
