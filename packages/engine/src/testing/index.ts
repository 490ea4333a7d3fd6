/** Substitutes for a model, for the tests of this package and of packages that depend on it. */

export {
  callReply,
  type FakeProvider,
  type Fault,
  faults,
  openFakeProvider,
  plainReply,
  type Turn,
} from './fake-provider.ts';
export { freePort, oddServer, serveReference } from './mcp.ts';
export { type ModelServerOptions, openModelServer } from './model-server.ts';
export { type Handler, openRawServer, type RawServer, type SeenRequest } from './raw-server.ts';
export { sampleDocx, samplePdf, sampleXlsx } from './sample-files.ts';
export {
  type ScriptedEvent,
  type ScriptedOptions,
  type ScriptedProvider,
  type ScriptedReply,
  scriptedProvider,
  textEvents,
  toolEvents,
  usageEventOf,
} from './scripted.ts';
export { failure, streamed, type WireName, type WireReply, whole } from './wires.ts';
