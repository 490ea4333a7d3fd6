/** The routes that export a tree, a part of a tree, or everything, with a report of what the format cannot store. */

import { type ExportSelection, formats } from '@coppice/content/formats';
import { ask, parseNodeId, readTree, refuse, type TreeRow, unwrapResult } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { z } from '@hono/zod-openapi';
import { throwHttpError } from '../../http-errors.ts';
import { resolveTree } from '../../resolve-tree.ts';
import {
  type ExportJob,
  previewExport,
  requireWritableFormat,
  respondWithExport,
  toExportFileName,
} from '../../transfer/export-reply.ts';
import { listOfSchema, queryFlagSchema } from '../../wire/schemas.ts';
import { defineRoute, type RouteCall, toReply } from '../define.ts';

const formatView = z
  .object({
    name: z.string(),
    label: z.string(),
    summary: z.string(),
    reads: z.boolean(),
    /** The properties of the writer; null for a format that can only be read. */
    writes: z
      .object({
        extension: z.string(),
        mediaType: z.string(),
        files: z.enum(['one', 'per-tree']),
        loses: z.record(z.string(), z.string()),
      })
      .nullable(),
  })
  .openapi('FormatView');

const listFormats = defineRoute({
  method: 'get',
  path: '/api/formats',
  name: 'listFormats',
  summary: 'Lists the formats for import and export, and what each format cannot represent.',
  answer: z.object({ items: listOfSchema(formatView) }),
  handle: () =>
    toReply({
      items: formats.map(({ name, label, summary, reader, writer }) => ({
        name,
        label,
        summary,
        reads: reader !== undefined,
        writes:
          writer === undefined
            ? null
            : {
                extension: writer.extension,
                mediaType: writer.mediaType,
                files: writer.files,
                loses: { ...writer.loses },
              },
      })),
    }),
});

const formatName = z.string().min(1).max(64);

const treeQuery = z.strictObject({
  format: formatName,
  what: z.enum(['tree', 'branch', 'path']).optional(),
  node: z.string().optional(),
  thread: queryFlagSchema.optional(),
});

const everyQuery = z.strictObject({
  format: formatName,
  thread: queryFlagSchema.optional(),
  trashed: queryFlagSchema.optional(),
});

type TreeCall = Pick<
  RouteCall<{ readonly tree: TreeRow['id'] }, z.output<typeof treeQuery>, unknown>,
  'params' | 'query' | 'ownerServices'
>;

/** Returns the part of the tree to export. A node without `what` means the path to the node. */
function exportSelection({ what, node }: z.output<typeof treeQuery>): ExportSelection {
  const named = node === undefined ? undefined : unwrapResult(parseNodeId(node));
  const part = what ?? (named === undefined ? 'tree' : 'path');
  if (part === 'branch')
    return named === undefined
      ? throwHttpError('http/invalid', 'query.node: is missing; it names the first message of the branch.')
      : { what: part, nodeId: named };
  if (part === 'path') return named === undefined ? { what: part } : { what: part, nodeId: named };
  return named === undefined
    ? { what: part }
    : throwHttpError('http/invalid', 'query.node: a whole tree needs no node. Request a branch or a path instead.');
}

async function treeExportJob(call: TreeCall): Promise<ExportJob> {
  const { query } = call;
  const { store, treeId } = await resolveTree(call, call.params.tree);
  const selection = exportSelection(query);
  const row = await store.read(treeId, function* () {
    const found = yield* readTree(treeId);
    const node = 'nodeId' in selection ? selection.nodeId : undefined;
    if (node !== undefined && (yield* ask('head', { id: node })) === null)
      return refuse('tree/unknown-node', `There is no message ${node}.`, { nodeId: node });
    return found;
  });
  return {
    store,
    format: requireWritableFormat(query.format),
    options: { trees: [treeId], selection, ...omitUndefined({ thread: query.thread }) },
    name: toExportFileName(row.attributes.title ?? row.attributes.autoTitle ?? ''),
  };
}

function everyOutgoing(
  call: Pick<RouteCall<unknown, z.output<typeof everyQuery>, unknown>, 'query' | 'ownerServices' | 'services'>,
): ExportJob {
  const { format, thread, trashed } = call.query;
  const day = new Date(call.services.now()).toISOString().slice(0, 10);
  return {
    store: call.ownerServices.store,
    format: requireWritableFormat(format),
    options: omitUndefined({ thread, trashed }),
    name: `coppice-${day}`,
  };
}

const file = z.string().openapi({ format: 'binary' });

const exportTree = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/export',
  name: 'exportTree',
  summary: 'Exports a tree, a branch with the path to it, or the path to a node, as a download.',
  needs: { stream: true },
  query: treeQuery,
  produces: 'application/octet-stream',
  answer: file,
  async handle(call) {
    const job = await treeExportJob(call);
    return respondWithExport(job, call.services.usage.stream(call.caller.owner));
  },
});

const exportAll = defineRoute({
  method: 'get',
  path: '/api/export',
  name: 'exportEverything',
  summary:
    'Exports all your trees as one file, or as a zip if the format has one file per tree. With `trashed` it includes the trash.',
  needs: { stream: true },
  query: everyQuery,
  produces: 'application/octet-stream',
  answer: file,
  handle: (call) => respondWithExport(everyOutgoing(call), call.services.usage.stream(call.caller.owner)),
});

const report = z
  .object({
    format: z.string(),
    trees: z.number(),
    nodes: z.object({ read: z.number(), written: z.number(), merged: z.number(), left: z.number() }),
    bytes: z.number(),
    losses: listOfSchema(z.object({ what: z.string(), place: z.string(), message: z.string() })),
    counts: z.record(z.string(), z.number()),
  })
  .openapi('ExportReport');

const treeReport = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/export/report',
  name: 'getExportReport',
  summary:
    'Reports what an export would write and lose: nodes read = written + merged + left out. It counts all losses and lists the first thousand.',
  query: treeQuery,
  answer: report,
  handle: async (call) => toReply(await previewExport(await treeExportJob(call), call.signal)),
});

const allReport = defineRoute({
  method: 'get',
  path: '/api/export/report',
  name: 'getFullExportReport',
  summary: 'Reports what an export of all your trees would write and lose. Takes as long as the export.',
  query: everyQuery,
  answer: report,
  handle: async (call) => toReply(await previewExport(everyOutgoing(call), call.signal)),
});

export const exportRoutes = [listFormats, exportTree, treeReport, exportAll, allReport];
