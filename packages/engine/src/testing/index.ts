/** What tests of this package and of those above it use in place of a model. */

export {
  type Beat,
  type ScriptedOptions,
  type ScriptedProvider,
  type ScriptedReply,
  scriptedProvider,
  textBeats,
  toolBeats,
  usageBeat,
} from './scripted.ts';
