import type { ReactElement } from 'react';
import { formatNumber, t } from '../i18n/index.ts';
import { Icon } from '../ui/icon.tsx';
import type { Files } from './use-files.ts';

/** The files of the next message. */
export function FileChips({ files }: { readonly files: Files }): ReactElement {
  return (
    <ul className="files">
      {files.list.map((file) => (
        <li key={file.id} className={`file-chip ${file.state}`} title={file.problem ?? file.name}>
          <Icon name="clip" />
          <span className="clip">{file.name}</span>
          {file.state === 'failed' ? (
            <button
              type="button"
              aria-label={t('sendFileAgain', { name: file.name })}
              onClick={() => files.retry(file.id)}
            >
              {t('failed')} <Icon name="again" size={12} />
            </button>
          ) : (
            <span className="dim num">{`${formatNumber(Math.ceil(file.size / 1024))} kB`}</span>
          )}
          <button type="button" aria-label={t('removeFile', { name: file.name })} onClick={() => files.drop(file.id)}>
            <Icon name="x" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}
