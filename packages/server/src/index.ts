/** The public names of the server. */
export { type CoppiceServer, createServer } from './app.ts';
export { problemsIn } from './check-options.ts';
export * from './contract.ts';
export { makeFirstAdmin } from './first-admin.ts';
export { httpCodes, httpStatusOf, statusOfKind } from './http-errors.ts';
export { keepRecovering, recoverOnce } from './live/recovery.ts';
export { createLog, type LogOptions } from './log.ts';
export type { TreesServerOptions } from './mcp/options.ts';
export { serveTreesOverStdio } from './mcp/stdio.ts';
export { apiVersion, openApiDocument } from './openapi.ts';
export { type FailedCall, FailedCalls } from './proxy/failed-calls.ts';
export { spillFolderBeside } from './proxy/proxy.ts';
export { type RegroupOptions, type RegroupReport, regroupProject, undoRegroup } from './proxy/regroup.ts';
export type { Access, RouteDefinition, RouteRequirements } from './routes/define.ts';
export { routes } from './routes/index.ts';
export { checkBind, isLoopback, type RunningServer, type ServeOptions, serve } from './serve.ts';
export { readThreadPage, type ThreadPage, type ThreadPageRequest } from './thread-page.ts';
export { type TreeResponse, toWriteAnswer, type WriteAnswer } from './tree-view.ts';
