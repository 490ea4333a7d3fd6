import { createContext, type ReactElement, useContext } from 'react';

/**
 * The letters of the answers that a combined reply was made from, each with the class of its model's colour; null for
 * all other messages.
 */
export const SourceMarksContext = createContext<ReadonlyMap<string, string> | null>(null);

const marks = /(\[[A-Z]\])/;

/** Whether a text may contain marks such as `[A]`, so that ordinary text costs no component. */
export function mayHaveSourceMarks(text: string): boolean {
  return marks.test(text);
}

/** A text whose marks such as `[A]` are shown like the letters of the answers. Unknown letters stay text. */
export function SourceMarks({ text }: { readonly text: string }): ReactElement {
  const colours = useContext(SourceMarksContext);
  if (colours === null) return <>{text}</>;
  let at = 0;
  return (
    <>
      {text.split(marks).map((part) => {
        const start = at;
        at += part.length;
        const letter = part.charAt(1);
        const colour = marks.test(part) ? colours.get(letter) : undefined;
        if (colour === undefined) return part;
        return (
          <span key={start} className={`source-mark ${colour}`}>
            <span className="sr">[</span>
            {letter}
            <span className="sr">]</span>
          </span>
        );
      })}
    </>
  );
}
