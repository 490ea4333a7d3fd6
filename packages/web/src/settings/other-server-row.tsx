import { type ReactElement, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { ConnectionForm } from './connection-form.tsx';
import type { ConnectionList } from './settings-api.ts';
import { showConnectedToast } from './show-connected.ts';

interface OtherServerRowProps {
  /** Names that are in use. */
  readonly taken: readonly string[];
  readonly keptIn: ConnectionList['keptIn'];
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChange: () => Promise<void>;
}

/** A name for models, derived from the entered name: lower-case letters, digits and hyphens. */
function connectionNameFrom(label: string, taken: readonly string[]): string | null {
  const base = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  if (base === '') return null;
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** The row that connects any other OpenAI-compatible server by its URL. */
export function OtherServerRow({ taken, keptIn, isOpen, onOpen, onChange }: OtherServerRowProps): ReactElement {
  return (
    <li className={isOpen ? 'row-item open' : 'row-item'}>
      <div className="row-line">
        <div className="row-name">
          <b>{t('otherServer')}</b>
          <span className="row-detail">{t('otherServerHint')}</span>
        </div>
        <div className="row-end">
          {isOpen ? null : (
            <Button small onClick={() => onOpen(true)}>
              {t('addAddress')}
            </Button>
          )}
        </div>
      </div>
      {isOpen ? <AddressForm taken={taken} keptIn={keptIn} onOpen={onOpen} onChange={onChange} /> : null}
    </li>
  );
}

function AddressForm({ taken, keptIn, onOpen, onChange }: Omit<OtherServerRowProps, 'isOpen'>): ReactElement {
  const [label, setLabel] = useState('');
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <ConnectionForm
      name={connectionNameFrom(label, taken)}
      label={label.trim()}
      address=""
      keyRequired={false}
      hasKey={false}
      keptIn={keptIn}
      asksAddress
      onCancel={() => onOpen(false)}
      onDone={() => {
        onOpen(false);
        showConnectedToast(label.trim());
        void onChange();
      }}
    >
      <TextField
        label={t('connectionName')}
        field={first}
        value={label}
        onText={setLabel}
        placeholder={t('connectionNameExample')}
      />
    </ConnectionForm>
  );
}
