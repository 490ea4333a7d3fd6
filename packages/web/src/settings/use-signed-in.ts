import { useEffect, useState } from 'react';
import { type SignedInUser, settingsApi } from './settings-api.ts';

/** The signed-in user; null until it is known. */
export function useSignedIn(): SignedInUser | null {
  const [me, setMe] = useState<SignedInUser | null>(null);
  useEffect(() => {
    let isCurrent = true;
    settingsApi.me().then(
      (known) => {
        if (isCurrent) setMe(known);
      },
      // The page itself shows that it is signed out or offline.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return me;
}
