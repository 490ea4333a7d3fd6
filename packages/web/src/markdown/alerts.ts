/** GitHub's alerts: a quote whose first line is `[!NOTE]`, `[!TIP]`, `[!IMPORTANT]`, `[!WARNING]` or `[!CAUTION]`. */
import type { Token } from 'marked';

const kinds = ['note', 'tip', 'important', 'warning', 'caution'] as const;
export type AlertKind = (typeof kinds)[number];

const marker = /^\s*\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/i;

/** Reads the kind of an alert and its content without the marker; null for any other quote. */
export function extractAlert(
  tokens: readonly Token[],
): { readonly kind: AlertKind; readonly tokens: readonly Token[] } | null {
  const [first, ...rest] = tokens;
  if (first?.type !== 'paragraph' || !('tokens' in first) || first.tokens === undefined) return null;
  const [words, ...others] = first.tokens;
  if (words?.type !== 'text' || !('text' in words) || typeof words.text !== 'string') return null;
  const match = marker.exec(words.text);
  const kind = kinds.find((each) => each === match?.[1]?.toLowerCase());
  if (match === null || kind === undefined) return null;
  const text = words.text.slice(match[0].length);
  const inside: Token[] = text === '' ? others : [{ type: 'text', raw: text, text }, ...others];
  return { kind, tokens: inside.length === 0 ? rest : [{ ...first, tokens: inside }, ...rest] };
}
