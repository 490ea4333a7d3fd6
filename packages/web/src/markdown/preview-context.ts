import { createContext } from 'react';

/** Opens a code block in the preview beside the thread; null where the page has no preview, as on a share page. */
export const PreviewContext = createContext<((code: string) => void) | null>(null);
