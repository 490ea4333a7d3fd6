/** The code blocks of a message that can be previewed. */
import type { Message } from '@coppice/core';
import { splitMarkdownIntoBlocks } from '../markdown/blocks.ts';
import { type CodeInfo, type PreviewKind, parseCodeInfo, previewKindOf } from '../markdown/code-names.ts';
import { plainTextOf } from '../thread/rows.ts';

/** A code block that can be previewed, and how. */
export interface PreviewableCode {
  readonly code: string;
  readonly info: CodeInfo;
  readonly kind: PreviewKind;
}

interface TokenWithin {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly lang?: unknown;
  readonly tokens?: unknown;
  readonly items?: unknown;
}

function isTokenList(value: unknown): value is readonly TokenWithin[] {
  return Array.isArray(value);
}

/** Finds the previewable code blocks of a text, in reading order, including those in lists and quotes. */
function previewableBlocksIn(text: string): readonly PreviewableCode[] {
  const found: PreviewableCode[] = [];
  const waiting: TokenWithin[] = [...(splitMarkdownIntoBlocks(text, null)?.blocks ?? [])]
    .reverse()
    .map((block) => block.token);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type === 'code' && typeof next.text === 'string') {
      const info = parseCodeInfo(next.lang);
      const kind = previewKindOf(info.language, next.text);
      if (kind !== null) found.push({ code: next.text, info, kind });
    }
    for (const inside of [next.items, next.tokens])
      if (isTokenList(inside)) for (const token of [...inside].reverse()) waiting.push(token);
  }
  return found;
}

/** The previewable code blocks of a message. */
export function findPreviewableCode(message: Message | null): readonly PreviewableCode[] {
  return previewableBlocksIn(plainTextOf(message));
}

const titleOfPage = /<title[^>]*>([^<]{1,120})<\/title>/i;
const headingOfText = /^#{1,6}\s+(.{1,120})$/m;

/** The title of a block: its file name, its own title, or null. */
export function previewTitleOf({ code, info, kind }: PreviewableCode): string | null {
  if (info.file !== null) return info.file;
  const found = kind === 'markdown' ? headingOfText.exec(code) : titleOfPage.exec(code);
  return found?.[1]?.trim() ?? null;
}

/** Builds the document for the sandboxed frame. */
export function buildPreviewDocument({ code, kind }: PreviewableCode): string {
  if (kind !== 'svg') return /^\s*<!doctype/i.test(code) ? code : `<!doctype html>\n${code}`;
  return `<!doctype html><meta charset="utf-8"><style>body{margin:0;display:grid;place-items:center;min-height:100vh}svg{max-width:100%;max-height:100vh}</style>${code}`;
}
