/** The public names of the package @coppice/server. */

export { httpStatusByErrorKind } from '@coppice/core';
export { type CoppiceServer, createServer } from './app.ts';
export { findOptionProblems } from './check-options.ts';
export * from './contract.ts';
export { makeFirstAdmin } from './first-admin.ts';
export { httpErrorCodes, httpStatusOf } from './http-errors.ts';
export { keepRecoveringReplies, recoverRepliesOnce } from './live/background-tasks.ts';
export { createLog, type LogOptions } from './log.ts';
export type { TreesMcpServerOptions } from './mcp/options.ts';
export { serveTreesOverStdio } from './mcp/stdio.ts';
export { apiVersion, buildOpenApiDocument } from './openapi.ts';
export { type FailedCall, FailedCalls } from './proxy/failed-calls.ts';
export { overflowFolderBeside } from './proxy/proxy.ts';
export { type RegroupOptions, type RegroupReport, regroupRecordingsBySession, undoRegroup } from './proxy/regroup.ts';
export type { RouteAccess, RouteDefinition, RouteRequirements } from './routes/define.ts';
export { routes } from './routes/index.ts';
export { assertSafeBind, isLoopback, type RunningServer, type ServeOptions, serve } from './serve.ts';
export { readThreadPage, type ThreadPage, type ThreadPageRequest } from './thread-page.ts';
export { type TreeResponse, toWriteAnswer, type WriteAnswer } from './tree-view.ts';
