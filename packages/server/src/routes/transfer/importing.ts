/** The routes of imports. An import is uploaded once, then it can be read, followed, cancelled and deleted. */

import { type ImportFinding, importErrorKinds } from '@coppice/content/formats';
import { AppError, isAppError } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { waitMs } from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { spoolUpload } from '#platform/spool';
import { throwHttpError } from '../../http-errors.ts';
import { type EventStream, encodeEvent, respondWithStream } from '../../live/event-stream.ts';
import type { ImportRegistry, ImportStatus } from '../../transfer/imports.ts';
import {
  anyObjectSchema,
  listOfSchema,
  pageLimitSchema,
  queryFlagSchema,
  treeIdSchema,
  wholeNumberQuerySchema,
} from '../../wire/schemas.ts';
import { defineRoute, type RouteCall, toReply } from '../define.ts';

const tally = z
  .object({ read: z.number(), stored: z.number(), merged: z.number(), rejected: z.number() })
  .openapi('ImportCounts');

const counts = z.record(z.string(), z.number());

/** The state of an import in a response. */
export const importViewSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    size: z.number(),
    dryRun: z.boolean(),
    strict: z.boolean(),
    state: z.enum(['running', 'done', 'failed', 'cancelled']),
    startedAt: z.number(),
    endedAt: z.number().nullable(),
    format: z.object({ name: z.string(), label: z.string() }).nullable(),
    /** The progress in decompressed bytes; `total` is null if it is unknown. */
    progress: z.object({
      bytes: z.number(),
      total: z.number().nullable(),
      conversations: z.number(),
      records: z.number(),
    }),
    taken: z.object({ stored: z.number(), merged: z.number() }),
    report: z
      .object({ conversations: tally, records: tally, attachments: z.number(), bytes: z.number(), counts })
      .nullable(),
    error: z.object({ code: z.string(), kind: z.string(), message: z.string() }).nullable(),
    listed: z.object({ findings: z.number(), trees: z.number() }),
  })
  .openapi('ImportView');

type ImportAnswer = z.input<typeof importViewSchema>;

/** Converts an import to its response. */
export function toImportView(live: ImportStatus): ImportAnswer {
  const { id, name, size, dryRun, strict, state, startedAt, endedAt, format, progress, taken, report, error } = live;
  return {
    id,
    name,
    size,
    dryRun,
    strict,
    state,
    startedAt,
    endedAt,
    format,
    progress,
    taken: { ...taken },
    report:
      report === null
        ? null
        : {
            conversations: report.conversations,
            records: report.records,
            attachments: report.attachments,
            bytes: report.bytes,
            counts: report.counts,
          },
    // The data of the error is left out. It contains the findings of a strict import, which have their own route.
    error: error === null ? null : { code: error.code, kind: error.kind, message: error.message },
    listed: { findings: live.findings.length, trees: live.conversations.length },
  };
}

const begin = defineRoute({
  method: 'post',
  path: '/api/imports',
  name: 'beginImport',
  summary:
    'Uploads a file or a zip of files and starts its import in the background. Responds when the upload is complete. Importing the same data again adds no duplicates.',
  needs: { body: 'bytes', limit: 'importBytes' },
  query: z.strictObject({
    name: z.string().min(1).max(512).optional(),
    format: z.string().max(64).optional(),
    scope: z.string().max(512).optional(),
    strict: queryFlagSchema.optional(),
    dryRun: queryFlagSchema.optional(),
  }),
  answer: importViewSchema,
  status: 202,
  async handle(call) {
    const { services, caller, query, ownerServices } = call;
    const place = await services.imports.admit(caller.owner);
    try {
      const spool = await spoolUpload(services.spool, readUntilClosing(call)).catch((thrown: unknown) =>
        throwUploadError(call, thrown),
      );
      try {
        if (spool.size === 0) throwHttpError('http/invalid', 'The body is empty: send a file to import.');
        await services.usage.upload(caller.owner, spool.size);
        const { name = 'upload', format, scope, strict, dryRun } = query;
        const { kit, now, newId } = services;
        const options = { actor: caller.actor, kit, now, newId, ...omitUndefined({ format, scope, strict, dryRun }) };
        const [store, files] = [ownerServices.store, [spool.sourceNamed(name)]];
        const request = { id: newId(), name, store, files, release: () => spool.close(), options };
        return toReply(toImportView(await place.begin(request)));
      } catch (thrown) {
        await spool.close();
        throw thrown;
      }
    } finally {
      place.leave();
    }
  },
});

/** Reads the body of an upload. Throws when the server stops, because an upload may take an hour. */
async function* readUntilClosing({ chunks, services }: ImportCall): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks()) {
    if (services.closing.aborted) throwHttpError('http/closing', 'The server is stopping.');
    yield chunk;
  }
}

/**
 * Throws that the upload was aborted if the client has disconnected, because that is no server error. Otherwise
 * rethrows.
 */
function throwUploadError(call: ImportCall, thrown: unknown): never {
  if (isAppError(thrown) || !call.signal.aborted) throw thrown;
  const code = 'import/aborted';
  throw new AppError({
    code,
    kind: importErrorKinds[code],
    message: 'The upload was aborted. Nothing was imported.',
  });
}

type ImportCall = Pick<RouteCall<unknown, unknown, unknown>, 'services' | 'caller' | 'signal' | 'chunks'>;

async function requireImport(call: Pick<ImportCall, 'services' | 'caller'>, id: string): Promise<ImportStatus> {
  const found = await call.services.imports.find(call.caller.owner, id);
  return found ?? throwHttpError('http/not-found', `There is no import ${id}.`);
}

const listed = defineRoute({
  method: 'get',
  path: '/api/imports',
  name: 'listImports',
  summary: 'Lists the running imports of all servers, and those that finished in the last day, newest first.',
  answer: z.object({ items: listOfSchema(importViewSchema) }),
  handle: async ({ services, caller }) =>
    toReply({ items: (await services.imports.list(caller.owner)).map(toImportView) }),
});

const one = defineRoute({
  method: 'get',
  path: '/api/imports/{id}',
  name: 'getImport',
  summary:
    'Returns the progress or the result of an import: read = stored + merged + rejected, for conversations and for records.',
  answer: importViewSchema,
  handle: async (call) => toReply(toImportView(await requireImport(call, call.params.id))),
});

// The interval between two progress events. More events would not be visible.
const progressIntervalMs = 100;

const events = defineRoute({
  method: 'get',
  path: '/api/imports/{id}/events',
  name: 'followImport',
  summary:
    'Streams the progress of an import as server-sent events with the fields of `GET /api/imports/{id}`: `progress` while it runs, `end` when it has finished. Disconnecting does not stop the import.',
  needs: { stream: true },
  produces: 'text/event-stream',
  answer: z.string(),
  async handle(call) {
    const { services, caller, params } = call;
    await requireImport(call, params.id);
    const stream = call.services.streams.open(call.caller);
    call.signal.addEventListener('abort', () => stream.close(), { once: true });
    const log = (error: unknown) => services.log.warn({ err: error }, 'the progress of an import could not be read');
    void sendProgress(stream, services.imports, caller.owner, params.id).catch((error: unknown) => {
      log(error);
      stream.close();
    });
    return respondWithStream(stream);
  },
});

async function sendProgress(stream: EventStream, imports: ImportRegistry, owner: string, id: string): Promise<void> {
  for (;;) {
    const status = await imports.find(owner, id);
    if (status === null) return stream.close();
    const over = status.state !== 'running';
    await stream.waitForDrain();
    if (!stream.send(encodeEvent(over ? 'end' : 'progress', toImportView(status)))) return;
    if (over) return stream.close();
    await imports.changed(id, stream.closed);
    await waitMs(progressIntervalMs, { signal: stream.closed });
    if (stream.closed.aborted) return;
  }
}

const page = z.strictObject({ cursor: wholeNumberQuerySchema.optional(), limit: pageLimitSchema.optional() });
const maxPageLength = 200;

function findingsPage<T>(items: readonly T[], { cursor = 0, limit = 50 }: z.output<typeof page>) {
  const end = cursor + Math.min(Math.max(1, limit), maxPageLength);
  return { items: items.slice(cursor, end), cursor: end < items.length ? String(end) : null };
}

const finding = z
  .object({
    code: z.string(),
    severity: z.enum(['note', 'repair', 'loss']),
    place: z.string(),
    message: z.string(),
    data: z.object({
      detail: z.string().optional(),
      refusal: z.object({ code: z.string(), message: z.string(), data: anyObjectSchema }).optional(),
    }),
    rejected: z.number(),
  })
  .openapi('ImportFinding');

const ranks: Readonly<Record<ImportFinding['severity'], number>> = { loss: 0, repair: 1, note: 2 };

const findings = defineRoute({
  method: 'get',
  path: '/api/imports/{id}/findings',
  name: 'listFindings',
  summary:
    'Lists what an import repaired, left out or noticed, each with its location in the source: the first thousand findings, losses first, by page. The report counts all of them.',
  query: page,
  answer: z.object({ items: listOfSchema(finding), cursor: z.string().nullable() }),
  async handle(call) {
    const live = await requireImport(call, call.params.id);
    const sorted = [...live.findings].sort((a, b) => ranks[a.severity] - ranks[b.severity]);
    return toReply(findingsPage(sorted, call.query));
  },
});

const trees = defineRoute({
  method: 'get',
  path: '/api/imports/{id}/trees',
  name: 'listImportedTrees',
  summary: 'Lists the first thousand trees that an import created or extended, or would change in a dry run, by page.',
  query: page,
  answer: z.object({
    items: listOfSchema(
      z.object({
        treeId: treeIdSchema,
        title: z.string().nullable(),
        created: z.boolean(),
        added: z.number(),
        present: z.number(),
      }),
    ),
    cursor: z.string().nullable(),
  }),
  handle: async (call) => toReply(findingsPage((await requireImport(call, call.params.id)).conversations, call.query)),
});

const stop = defineRoute({
  method: 'delete',
  path: '/api/imports/{id}',
  name: 'cancelImport',
  summary:
    'Cancels an import after the current conversation and keeps the imported trees. Removes a finished import from the list.',
  answer: z.object({ cancelled: z.boolean(), import: importViewSchema }),
  async handle(call) {
    const { imports } = call.services;
    const { owner } = call.caller;
    const status = await requireImport(call, call.params.id);
    if (status.state !== 'running') {
      await imports.forget(owner, status.id);
      return toReply({ cancelled: false, import: toImportView(status) });
    }
    const ended = await imports.cancel(owner, status, AbortSignal.any([call.signal, call.services.closing]));
    return toReply({ cancelled: ended.state === 'cancelled', import: toImportView(ended) });
  },
});

export const importRoutes = [begin, listed, one, events, findings, trees, stop];
