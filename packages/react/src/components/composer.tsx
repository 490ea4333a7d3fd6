import type { GenerationOptions } from '@coppice/client';
import type { ReactElement } from 'react';
import { useComposer } from '../hooks.ts';
import { useLabels } from '../labels.ts';

/** The generation options and the placeholder of a {@link Composer}. */
export interface ComposerProps {
  /** The options with which replies are generated. */
  readonly generation?: GenerationOptions;
  readonly placeholder?: string;
}

/**
 * Renders a text field for the next message. Enter sends, Shift and Enter starts a new line; drafts survive a reload.
 */
export function Composer({ generation = {}, placeholder }: ComposerProps): ReactElement {
  const labels = useLabels();
  const { text, setText, send, canSend, streaming, stop, problem } = useComposer(generation);
  return (
    <form
      className="coppice-composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {problem === null ? null : <p role="alert">{problem.message}</p>}
      <textarea
        aria-label={labels.message}
        value={text}
        rows={1}
        placeholder={placeholder ?? labels.message}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      {streaming.length > 0 && text.trim() === '' ? (
        <button type="button" onClick={() => void stop()}>
          {labels.stop}
        </button>
      ) : (
        <button type="submit" disabled={!canSend}>
          {labels.send}
        </button>
      )}
    </form>
  );
}
