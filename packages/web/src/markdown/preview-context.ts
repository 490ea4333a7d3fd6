import { createContext } from 'react';

/** Opens a code block of the surrounding message in the preview; null if there is none. */
export const PreviewContext = createContext<((code: string) => void) | null>(null);
