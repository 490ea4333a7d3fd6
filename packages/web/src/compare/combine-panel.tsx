import { type CombineMode, replySourceOf } from '@coppice/client';
import type { Node } from '@coppice/core';
import { type ReactElement, useId, useState } from 'react';
import { formatCost, t, tn } from '../i18n/index.ts';
import { ModelMenu } from '../models/model-menu.tsx';
import { currentModels, useAppData } from '../state/app-data.ts';
import { currentGenerationOptions } from '../state/chat-options.ts';
import { combineReplies } from '../state/generation.ts';
import { modelColourOf } from '../state/model-colours.ts';
import { useUi } from '../state/ui.ts';
import { useSession } from '../state/use-session.ts';
import { letterOfAnswer } from '../thread/source-chips.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { useCombineCost } from './use-combine-cost.ts';

const mostAnswers = 8;

const modes = [
  { mode: 'combine', label: 'wayCombine', hint: 'wayCombineHint' },
  { mode: 'table', label: 'wayTable', hint: 'wayTableHint' },
  { mode: 'differences', label: 'wayDifferences', hint: 'wayDifferencesHint' },
] as const;

/** Returns the model of an answer, or a general word if it is unknown. */
export function modelNameOfAnswer(node: Node): string {
  return replySourceOf(node.meta).model ?? t('model');
}

/** The letter of a selected answer in the colour of its model. */
export function AnswerLetter({ node, at }: { readonly node: Node; readonly at: number }): ReactElement {
  return (
    <span className={modelColourOf(modelNameOfAnswer(node))}>
      <span className="side-l">{letterOfAnswer(at)}</span>
    </span>
  );
}

interface CombinePanelProps {
  readonly offered: readonly Node[];
  /** The selected answers; their order gives them their letters. */
  readonly picked: readonly Node[];
  readonly onPick: (node: Node) => void;
  readonly onClose: () => void;
}

/** Combines the selected answers. The user chooses the answers, the mode, the model and further instructions. */
export function CombinePanel({ offered, picked, onPick, onClose }: CombinePanelProps): ReactElement {
  const session = useSession();
  const lists = useAppData();
  const [mode, setMode] = useState<CombineMode>('combine');
  const [chosen, setChosen] = useState<string | null>(null);
  const [instructions, setInstructions] = useState('');
  const [busy, setBusy] = useState(false);
  const model = chosen ?? currentModels(lists)[0] ?? null;
  const enough = picked.length >= 2 && picked.length <= mostAnswers;
  const cost = useCombineCost(picked, model, instructions);
  const run = async () => {
    setBusy(true);
    const begun = await combineReplies(
      session,
      picked.map((node) => node.id),
      {
        ...currentGenerationOptions({ n: 1, ...(model === null ? {} : { models: [model] }) }),
        way: mode,
        instructions: instructions.trim(),
      },
    );
    setBusy(false);
    // On a phone the panel covers the answers.
    if (begun && matchMedia('(max-width: 720px)').matches) useUi.setState({ combining: false });
  };
  return (
    <aside className="combine-panel" aria-label={t('combineAnswers')}>
      <div className="bar">
        <h2 className="grow">{t('combineAnswers')}</h2>
        <IconButton icon="x" label={t('close')} onClick={onClose} />
      </div>
      <AnswerChoice offered={offered} picked={picked} onPick={onPick} />
      <ModeChoice mode={mode} onChange={setMode} />
      <ModelChoice model={model} onChange={setChosen} />
      <label className="combine-part">
        <span className="combine-label">{t('combineInstructions')}</span>
        <textarea
          className="field area"
          rows={2}
          value={instructions}
          onChange={(event) => setInstructions(event.target.value)}
        />
      </label>
      <footer className="combine-foot">
        <span className="grow dim">
          {enough ? t('combineKeeps') : t('combineNeeds', { n: mostAnswers })}{' '}
          {enough && cost !== null && cost > 0 ? (
            <span className="num">{t('costsAtMost', { cost: formatHighestCost(cost) })}</span>
          ) : null}
        </span>
        <Button look="primary" icon="merge" disabled={!enough || busy || model === null} onClick={() => void run()}>
          {t('combine')}
        </Button>
      </footer>
    </aside>
  );
}

/** Formats the highest cost, rounded up: a lower amount would be wrong. */
function formatHighestCost(cost: number): string {
  const digits = cost < 0.01 ? 4 : 2;
  return formatCost(Math.ceil(cost * 10 ** digits) / 10 ** digits, digits);
}

/** The answers to choose from, with the letters of the selected ones. */
function AnswerChoice({ offered, picked, onPick }: Omit<CombinePanelProps, 'onClose'>): ReactElement {
  return (
    <fieldset className="combine-part">
      <legend>{tn('answersSelected', picked.length)}</legend>
      {offered.map((node) => {
        const at = picked.indexOf(node);
        const { outputTokens } = replySourceOf(node.meta);
        return (
          <label key={node.id} className="combine-answer">
            <input type="checkbox" className="pickbox" checked={at >= 0} onChange={() => onPick(node)} />
            {at < 0 ? null : <AnswerLetter node={node} at={at} />}
            <span className="grow clip">{modelNameOfAnswer(node)}</span>
            <span className="dim num">{outputTokens === null ? '' : tn('tokens', outputTokens)}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

function ModeChoice({
  mode,
  onChange,
}: {
  readonly mode: CombineMode;
  readonly onChange: (mode: CombineMode) => void;
}): ReactElement {
  const name = useId();
  return (
    <fieldset className="combine-part">
      <legend>{t('combineWay')}</legend>
      {modes.map((each) => (
        <label key={each.mode} className="combine-way">
          <input
            type="radio"
            className="radio"
            name={name}
            checked={mode === each.mode}
            onChange={() => onChange(each.mode)}
          />
          <span>
            <b>{t(each.label)}</b>
            <span>{t(each.hint)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The model that writes the combined answer. */
function ModelChoice({
  model,
  onChange,
}: {
  readonly model: string | null;
  readonly onChange: (model: string) => void;
}): ReactElement {
  const provider = useAppData((lists) => lists.models.find((each) => each.id === model)?.provider ?? '');
  return (
    <div className="combine-part">
      <span className="combine-label">{t('model')}</span>
      <ModelMenu
        chosen={model}
        onPick={onChange}
        trigger={
          <button type="button" className="combine-model">
            {model === null ? t('noModelReady') : <ModelName model={model} />}
            <span className="dim grow clip">{provider}</span>
            <Icon name="down" />
          </button>
        }
      />
    </div>
  );
}
