/** The open tree of this part of the page. */
export {
  TreeProvider,
  useBranch,
  useMessage,
  useOptionalSession,
  useSession,
  useStreamingReply,
  useTreeState as useTree,
  useVariants,
} from '@coppice/react/hooks';
