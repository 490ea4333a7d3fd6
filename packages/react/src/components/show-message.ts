import type { NodeId } from '@coppice/core';
import { useSession } from '../hooks.ts';

/**
 * Returns a function that shows the branch of a message and scrolls to the message. If it fails, the branch is read
 * again, and the thread says whether the server can be reached.
 */
export function useShowMessage(): (id: NodeId) => void {
  const session = useSession();
  return (id) => {
    session.go(id).then(
      () => session.scrollTo(id),
      () => undefined,
    );
  };
}
