import type { Block } from '@coppice/core';
import { type FormEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { ModelSelect } from '../models/model-select.tsx';
import { useLibrary } from '../state/library.ts';
import { findProject, loadProjectFiles, removeProject, saveProject, useProjects } from '../state/projects.ts';
import { homeRoute, navigateTo } from '../state/router.ts';
import { attachmentsOfBlock, blockOfAttachment } from '../thread/attachments.ts';
import { FileChips } from '../thread/file-chips.tsx';
import { type DraftFiles, useDraftFiles } from '../thread/use-files.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { countInstructionTokens } from './instruction-tokens.ts';

/** A project: its name, and what it adds to each of its new chats. */
export function ProjectDialog({
  name,
  onClose,
}: {
  /** The name of the project; null for a new one. */
  readonly name: string | null;
  readonly onClose: () => void;
}): ReactElement | null {
  const [blocks, setBlocks] = useState<readonly Block[] | null>(name === null ? [] : null);
  useEffect(() => {
    if (name === null) return;
    // If the files cannot be loaded, the dialog closes: saving an empty list would remove them.
    loadProjectFiles(name).then(setBlocks, onClose);
  }, [name, onClose]);
  if (blocks === null) return null;
  return (
    <Dialog title={t(name === null ? 'newProject' : 'projectSettings')} onClose={onClose} className="wide">
      <ProjectForm name={name} blocks={blocks} onClose={onClose} />
    </Dialog>
  );
}

interface ProjectFormProps {
  readonly name: string | null;
  readonly blocks: readonly Block[];
  readonly onClose: () => void;
}

function ProjectForm({ name: before, blocks, onClose }: ProjectFormProps): ReactElement {
  const items = useLibrary((library) => library.items);
  const projects = useProjects();
  const [item] = useState(() => findProject(items, before));
  const [name, setName] = useState(before ?? '');
  const [text, setText] = useState(item?.text ?? '');
  const [model, setModel] = useState(item?.options.models?.[0] ?? null);
  const [preset, setPreset] = useState(item?.preset ?? '');
  const [busy, setBusy] = useState(false);
  const [first] = useState(() => blocks.flatMap(attachmentsOfBlock));
  const files = useDraftFiles(null, true, first);
  const wanted = name.trim();
  const taken = wanted !== before && projects.some((project) => project.name === wanted);
  const canSave = wanted !== '' && !taken && !busy && files.list.every((file) => file.state === 'ready');
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!canSave) return;
    setBusy(true);
    const done = await saveProject(
      {
        name: wanted,
        text,
        options: { ...item?.options, models: model === null ? [] : [model] },
        preset: preset === '' ? null : preset,
        files: files.list.map(blockOfAttachment).filter((block) => block !== null),
      },
      before,
    );
    setBusy(false);
    if (!done) return;
    onClose();
    // The address of the old name would show no project.
    if (wanted !== before) navigateTo(homeRoute('', `folder:${wanted}`), { replace: before !== null });
  };
  return (
    <form className="form" onSubmit={(event) => void save(event)}>
      <NameField name={name} taken={taken} onChange={setName} />
      <label className="form-field">
        <span>{t('instructions')}</span>
        <textarea className="field area" rows={4} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <DefaultModelField model={model} onChange={setModel} />
      <PresetField preset={preset} onChange={setPreset} />
      <ProjectFiles files={files} />
      <p className="hint">
        {t('projectFormHint')} {text === '' ? '' : tn('tokensInEveryChat', countInstructionTokens(text))}
      </p>
      <ProjectButtons name={before} canSave={canSave} onClose={onClose} />
    </form>
  );
}

interface NameFieldProps {
  readonly name: string;
  /** Whether another project has this name. */
  readonly taken: boolean;
  readonly onChange: (name: string) => void;
}

function NameField({ name, taken, onChange }: NameFieldProps): ReactElement {
  return (
    <>
      <label className="form-field">
        <span>{t('nameWord')}</span>
        <input className="field" value={name} maxLength={200} onChange={(event) => onChange(event.target.value)} />
      </label>
      {taken ? (
        <p className="hint warn-text" role="alert">
          {t('projectExists')}
        </p>
      ) : null}
    </>
  );
}

function DefaultModelField({
  model,
  onChange,
}: {
  readonly model: string | null;
  readonly onChange: (model: string | null) => void;
}): ReactElement {
  const id = useId();
  return (
    <div className="form-field">
      <label htmlFor={id}>{t('defaultModel')}</label>
      <ModelSelect id={id} className="field" value={model} onChoose={onChange} />
    </div>
  );
}

/** The preset of the project's new chats. A preset that was deleted meanwhile is still listed. */
function PresetField({
  preset,
  onChange,
}: {
  readonly preset: string;
  readonly onChange: (preset: string) => void;
}): ReactElement | null {
  const items = useLibrary((library) => library.items);
  const presets = items.filter((each) => each.kind === 'preset');
  if (presets.length === 0 && preset === '') return null;
  return (
    <label className="form-field">
      <span>{t('preset')}</span>
      <select className="field" value={preset} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t('noPreset')}</option>
        {presets.map((each) => (
          <option key={each.id} value={each.name}>
            {each.name}
          </option>
        ))}
        {preset === '' || presets.some((each) => each.name === preset) ? null : (
          <option value={preset}>{preset}</option>
        )}
      </select>
    </label>
  );
}

interface ProjectButtonsProps {
  /** The stored name; null for a new project. */
  readonly name: string | null;
  readonly canSave: boolean;
  readonly onClose: () => void;
}

function ProjectButtons({ name, canSave, onClose }: ProjectButtonsProps): ReactElement {
  return (
    <div className="row foot-row">
      {name === null ? null : (
        <Button
          look="quiet"
          icon="trash"
          onClick={() => {
            onClose();
            navigateTo(homeRoute());
            void removeProject(name);
          }}
        >
          {t('removeProject')}
        </Button>
      )}
      <span className="grow" />
      <Button onClick={onClose}>{t('cancel')}</Button>
      <Button look="primary" type="submit" disabled={!canSave}>
        {t('save')}
      </Button>
    </div>
  );
}

function ProjectFiles({ files }: { readonly files: DraftFiles }): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  return (
    <fieldset className="form-field">
      <legend>{t('projectFiles')}</legend>
      {files.list.length === 0 ? null : <FileChips files={files} />}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          if (event.target.files !== null) files.add([...event.target.files]);
          event.target.value = '';
        }}
      />
      <Button small look="quiet" icon="clip" onClick={() => input.current?.click()}>
        {t('attach')}
      </Button>
    </fieldset>
  );
}
