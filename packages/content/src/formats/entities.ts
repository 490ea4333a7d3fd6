const named: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function entity(whole: string, code: string | undefined, name: string | undefined): string {
  if (code === undefined) return named[name ?? ''] ?? whole;
  const point = /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code);
  return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : whole;
}

/** Replaces the character references of HTML by their characters; unknown names are unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(x?[0-9a-f]{1,7})|([a-z]+));/gi, entity);
}
