/** Conversations of other programs on this computer: their list and their import. */
import { z } from '@hono/zod-openapi';
import { type ComputerPaths, findFiles, findPrograms, programFolders } from '../../found/index.ts';
import { throwHttpError } from '../../http-errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { SharedServices } from '../../services.ts';
import { listOfSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';
import { importViewSchema, toImportView } from './importing.ts';

const program = z
  .object({
    /** The name of the program's format, with which its files are imported. */
    format: z.string(),
    label: z.string(),
    folders: listOfSchema(z.string()),
    sessions: z.number(),
    bytes: z.number(),
    changedAt: z.number(),
  })
  .openapi('FoundProgram');

/** The paths of the person at this computer. Their files are read only for that person, never on a shared server. */
function localPaths({ auth, bound, computer }: SharedServices): ComputerPaths | null {
  return auth.mode === 'token' && bound.isLoopback ? computer : null;
}

const list = defineRoute({
  method: 'get',
  path: '/api/found',
  name: 'listFoundPrograms',
  summary:
    'Lists the conversations of other programs on this computer, with counts. `offered` is false unless this is a server for one person on this machine.',
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
    'Starts an import of all conversations of one program on this computer. It is followed like an uploaded one, below `/api/imports`. Nothing is written to the files of the program.',
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
        'Conversations on this computer are imported only on a server for one person that listens on this machine.',
      );
    const place = programFolders.find(({ format }) => format === body.format);
    if (place === undefined)
      return throwHttpError('http/not-found', `There is no program with the format ${body.format}.`);
    const slot = services.imports.admit(caller.owner);
    try {
      const files = await findFiles(place, paths);
      if (files.length === 0)
        return throwHttpError('http/not-found', `There are no conversations of ${place.label} on this computer.`);
      const { kit, now, newId } = services;
      const { strict, dryRun } = body;
      const chosen = { format: place.format, follow: true, ...omitUndefined({ strict, dryRun }) };
      const options = { actor: caller.actor, kit, now, newId, ...chosen };
      const live = slot.begin({ id: newId(), name: place.label, store: ownerServices.store, files, options });
      return toReply(toImportView(live));
    } finally {
      slot.leave();
    }
  },
});

export const foundProgramRoutes = [list, begin];
