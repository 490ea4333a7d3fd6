import type { ReactElement } from 'react';
import { formatBytes, t } from '../i18n/index.ts';
import { Icon } from '../ui/icon.tsx';
import { type DraftAttachment, isPicture } from './attachments.ts';
import { formatFileKind } from './file-kind.ts';
import type { DraftFiles } from './use-files.ts';

/** The files of the next message, each with its upload state and buttons to retry and remove it. */
export function FileChips({ files }: { readonly files: DraftFiles }): ReactElement {
  return (
    <>
      <ul className="files">
        {files.list.map((file) => (
          <li key={file.id} className={`file-chip ${file.state}`} title={file.problem ?? file.name}>
            <Thumbnail file={file} />
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
              <span className="dim num">
                {isPicture(file) ? '' : `${formatFileKind(file.name, file.mediaType)}, `}
                {formatBytes(file.size)}
              </span>
            )}
            <button type="button" aria-label={t('removeFile', { name: file.name })} onClick={() => files.drop(file.id)}>
              <Icon name="x" size={12} />
            </button>
          </li>
        ))}
      </ul>
      {files.list.map((file) =>
        file.state === 'failed' && file.problem !== null ? (
          <p key={file.id} className="option-warning" role="status">
            <Icon name="warn" />
            <span>
              <bdi>{file.name}</bdi>: {file.problem}
            </span>
          </p>
        ) : null,
      )}
    </>
  );
}

/** A small picture of an uploaded image; an icon for other files. */
function Thumbnail({ file }: { readonly file: DraftAttachment }): ReactElement {
  if (file.hash === null || !isPicture(file)) return <Icon name="clip" />;
  return <img className="thumbnail" src={`/api/attachments/${file.hash}`} alt="" />;
}
