/** React hook for the size of the terminal. */
import { useEffect, useState } from 'react';
import { terminalSizeOrDefault } from '../output.ts';

/** The size of the terminal in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Returns the size that a terminal reports. A terminal without a size counts as 80 by 24. */
function screenOf(stdout: { readonly columns?: number; readonly rows?: number }): ScreenSize {
  return { columns: terminalSizeOrDefault(stdout.columns, 80), rows: terminalSizeOrDefault(stdout.rows, 24) };
}

/** Returns the current size. Updated when the window is resized. */
export function useScreenSize(): ScreenSize {
  const [size, setSize] = useState(screenOf(process.stdout));
  useEffect(() => {
    const resized = () => setSize(screenOf(process.stdout));
    process.stdout.on('resize', resized);
    return () => void process.stdout.off('resize', resized);
  }, []);
  return size;
}
