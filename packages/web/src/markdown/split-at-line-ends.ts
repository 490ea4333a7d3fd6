const longestPiece = 20_000;

/** Splits a text at line ends into pieces of about equal length; joined they are the text. */
export function splitAtLineEnds(
  text: string,
  pieceLength = longestPiece,
): readonly { readonly at: number; readonly text: string }[] {
  const pieces: { at: number; text: string }[] = [];
  for (let at = 0; at < text.length; ) {
    const wanted = at + pieceLength;
    const line = wanted >= text.length ? -1 : text.indexOf('\n', wanted);
    const end = wanted >= text.length ? text.length : line < 0 || line > wanted + pieceLength ? wanted : line + 1;
    pieces.push({ at, text: text.slice(at, end) });
    at = end;
  }
  return pieces;
}
