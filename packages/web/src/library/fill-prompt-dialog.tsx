import { type FormEvent, type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { fillPromptVariables, listPromptVariables } from '../state/library.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Asks for the variables of a prompt and puts the filled text into the composer. */
export function FillPromptDialog({
  text,
  onDone,
  onClose,
}: {
  readonly text: string;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const names = listPromptVariables(text);
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    onDone(fillPromptVariables(text, values));
    document.getElementById('composer')?.focus();
  };
  return (
    <Dialog title={t('fillPrompt')} onClose={onClose}>
      <form onSubmit={submit} className="form">
        {names.map((name) => (
          <label key={name} className="form-field">
            <span>{name}</span>
            <input
              className="field"
              value={values.get(name) ?? ''}
              onChange={(event) => setValues(new Map([...values, [name, event.target.value]]))}
            />
          </label>
        ))}
        <div className="row foot-row">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit">
            {t('insertPrompt')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
