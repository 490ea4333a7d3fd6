/** The open tree of this part of the page. */
export { TreeProvider, useOptionalSession, useSession, useTreeState as useTree } from '@coppice/react/hooks';
