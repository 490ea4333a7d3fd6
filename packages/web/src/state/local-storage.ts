/** What this browser keeps beside the server: choices and drafts. A full or forbidden storage costs comfort, nothing else. */

const prefix = 'coppice.';

/** What is kept under a name, or null. */
export function readLocal(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

/** Keeps a text under a name; null takes it away. False where the browser has no room or keeps nothing. */
export function writeLocal(name: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, text);
    return true;
  } catch {
    return false;
  }
}
