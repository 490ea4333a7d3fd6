/** Removes keys from texts that users, logs or other programs see. */
import { hideSecrets } from '../config/secret.ts';

const hidden = '«hidden»';

// Patterns of keys that are not configured here, for example one that a server repeats in an error.
const keyPatterns: readonly { readonly pattern: RegExp; readonly replacement: string }[] = [
  {
    pattern:
      /\b(authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key|cookie|set-cookie)(["']?\s*[:=]\s*["']?)[^\r\n"',}]+/gi,
    replacement: `$1$2${hidden}`,
  },
  { pattern: /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, replacement: `$1 ${hidden}` },
  {
    pattern: /\b(?:sk|pk|rk|xai|gsk|hf|r8|nvapi|glpat|ghp|gho|github_pat|AKIA)[-_]?[A-Za-z0-9_*-]{12,}/g,
    replacement: hidden,
  },
  { pattern: /\bAIza[0-9A-Za-z_-]{20,}/g, replacement: hidden },
  { pattern: /\bey[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g, replacement: hidden },
  { pattern: /([?&](?:key|api_key|apikey|token|access_token|sig)=)[^&\s"']+/gi, replacement: `$1${hidden}` },
  { pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^/\s:@]{1,256}:[^/\s@]{1,256}@/gi, replacement: `$1${hidden}@` },
];

/** Returns the text without keys of this process and without anything that looks like a key. */
export function redactKeys(text: string): string {
  let safe = hideSecrets(text);
  for (const { pattern, replacement } of keyPatterns) safe = safe.replace(pattern, replacement);
  return safe;
}
