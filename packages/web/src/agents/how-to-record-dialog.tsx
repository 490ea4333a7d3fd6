import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';

// The command line for each program that `coppice proxy` supports by name.
const lines: readonly (readonly [string, string])[] = [
  ['Claude Code', 'coppice proxy -- claude'],
  ['Codex', 'coppice proxy -- codex'],
  ['Gemini CLI', 'coppice proxy -- gemini'],
  ['opencode', 'coppice proxy -- opencode'],
  ['pi', 'coppice proxy -- pi'],
  ['aider', 'coppice proxy -- aider'],
];

/** Shows the command line that records each program, and how to import and follow the files that programs wrote. */
export function HowToRecordDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={t('howToRecord')} onClose={onClose}>
      <p className="hint">{t('howToRecordLead')}</p>
      <dl className="record-lines">
        {lines.map(([program, line]) => (
          <RecordLine key={line} name={program} line={line} />
        ))}
        <RecordLine name={t('otherProgram')} line="coppice proxy -- node agent.mjs" />
      </dl>
      <p className="hint">{t('howToFollowLead')}</p>
      <dl className="record-lines">
        <RecordLine name={t('importOnce')} line="coppice import --found" />
        <RecordLine name={t('followFiles')} line="coppice import --watch" />
      </dl>
    </Dialog>
  );
}

function RecordLine({ name, line }: { readonly name: string; readonly line: string }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{line}</code>
        <CopyButton text={line} label={t('copyLine', { line })} />
      </dd>
    </div>
  );
}
