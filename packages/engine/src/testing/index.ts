/** The public names of the testing entry: fake providers and fixtures, for this package and those that depend on it. */

export {
  type FakeFault,
  type FakeProvider,
  type FakeResponse,
  fakeFaults,
  openFakeProvider,
  plainReply,
  toolCallReply,
} from './fake-provider.ts';
export { findFreePort, misbehavingServerCommand, startReferenceServer } from './mcp.ts';
export { type ModelServerOptions, openModelServer } from './model-server.ts';
export { openRawServer, type RawRequestHandler, type RawServer, type SeenRequest } from './raw-server.ts';
export { makeSampleDocx, makeSamplePdf, makeSampleXlsx } from './sample-files.ts';
export {
  createScriptedProvider,
  makeTextEvents,
  makeToolEvents,
  makeUsageEvent,
  type ScriptedEvent,
  type ScriptedOptions,
  type ScriptedProvider,
  type ScriptedReply,
} from './scripted.ts';
export { encodeFailure, encodeReply, encodeReplyStream, type WireName, type WireReply } from './wires.ts';
