import { useEffect, useState } from 'react';
import { type SignedIn, settingsApi } from './settings-api.ts';

/** The signed-in user; null until it is known. */
export function useSignedIn(): SignedIn | null {
  const [me, setMe] = useState<SignedIn | null>(null);
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
