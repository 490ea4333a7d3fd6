import { type ReactElement, type ReactNode, useId, useState } from 'react';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { type AppData, chooseModels, currentModels, setToolsEnabled, useAppData } from '../state/app-data.ts';
import { type ChatOptions, chooseChatOptions, defaultChatOptions } from '../state/chat-options.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { Switch } from '../ui/switch.tsx';
import { ModelMenu } from './model-menu.tsx';

/** The options of a chat or a preset. Conflicting options are marked, but stay selected. */
export function OptionsPanel({
  onClose,
  foot,
}: {
  readonly onClose: () => void;
  readonly foot?: ReactNode;
}): ReactElement {
  const options = useAppData();
  const now = currentModels(options);
  return (
    <div className="options">
      <header className="options-head">
        <h2 className="grow">{t('chatOptions')}</h2>
        <Button small look="quiet" onClick={() => chooseChatOptions(defaultChatOptions)}>
          {t('resetOptions')}
        </Button>
        <IconButton icon="x" label={t('close')} onClick={onClose} />
      </header>
      <OptionFields options={options} onChange={chooseChatOptions} />
      <Row label={t('alsoAsk')}>
        <ModelChips
          models={now.slice(1)}
          without={now}
          onChange={(models) => chooseModels([...now.slice(0, 1), ...models])}
        />
      </Row>
      <ToolOptions
        options={options}
        several={options.n > 1 || now.length > 1}
        onChange={({ toolsOn, ...set }) => {
          if (toolsOn !== undefined) setToolsEnabled(toolsOn);
          chooseChatOptions(set);
        }}
      />
      <footer className="options-foot">
        <span className="grow dim">{t('rememberedForChat')}</span>
        {foot}
      </footer>
    </div>
  );
}

function Row({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className="option-row">
      <span>{label}</span>
      {children}
    </div>
  );
}

/** Models as chips that can be removed, and a menu that adds others. */
export function ModelChips({
  models,
  without = models,
  onChange,
}: {
  readonly models: readonly string[];
  /** Models that the menu leaves out. */
  readonly without?: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
}): ReactElement {
  return (
    <span className="option-chips">
      {models.map((id) => (
        <span key={id} className="chip">
          <ModelName model={id} />
          <button
            type="button"
            aria-label={t('removeNamed', { name: id })}
            onClick={() => onChange(models.filter((each) => each !== id))}
          >
            <Icon name="x" size={12} />
          </button>
        </span>
      ))}
      <ModelMenu
        chosen={null}
        without={without}
        onPick={(id) => onChange([...models, id])}
        trigger={
          <button type="button" className="chip">
            <Icon name="plus" size={12} />
            {t('addModel')}
          </button>
        }
      />
    </span>
  );
}

/** The fields for temperature, top-p, maximum tokens, thinking and number of replies. */
export function OptionFields({
  options,
  onChange,
}: {
  readonly options: Pick<ChatOptions, 'temperature' | 'topP' | 'maxTokens' | 'thinking' | 'n'>;
  readonly onChange: (set: Partial<ChatOptions>) => void;
}): ReactElement {
  return (
    <>
      <Slider
        label={t('temperature')}
        value={options.temperature}
        most={2}
        rest={1}
        onChange={(temperature) => onChange({ temperature })}
      />
      <Slider label={t('topP')} value={options.topP} most={1} rest={1} onChange={(topP) => onChange({ topP })} />
      <label className="option-row">
        <span>{t('maximum')}</span>
        <span className="option-field">
          <input
            type="number"
            className="field"
            min={1}
            step={256}
            value={options.maxTokens ?? ''}
            placeholder={t('optionDefault')}
            onChange={(event) => {
              const value = Number.parseInt(event.target.value, 10);
              onChange({ maxTokens: Number.isFinite(value) && value > 0 ? value : null });
            }}
          />
          <span className="dim">{t('tokensWord')}</span>
        </span>
      </label>
      <Segments
        label={t('thinkingOption')}
        values={[null, 'low', 'medium', 'high'] as const}
        chosen={options.thinking}
        nameOf={(value) => t(value === null ? 'thinkingOff' : effortNames[value])}
        onChange={(thinking) => onChange({ thinking })}
      />
      <Segments
        label={t('repliesOption')}
        values={[1, 2, 3, 4, 5] as const}
        chosen={options.n}
        nameOf={(value) => formatNumber(value)}
        onChange={(n) => onChange({ n })}
      />
    </>
  );
}

const effortNames = { low: 'effortLow', medium: 'effortMedium', high: 'effortHigh' } as const;

function Slider({
  label,
  value,
  most,
  rest,
  onChange,
}: {
  readonly label: string;
  readonly value: number | null;
  readonly most: number;
  /** The position of the handle while nothing is selected. */
  readonly rest: number;
  readonly onChange: (value: number | null) => void;
}): ReactElement {
  const id = useId();
  return (
    <div className="option-row">
      <label htmlFor={id}>{label}</label>
      <span className="option-field">
        <input
          id={id}
          type="range"
          min={0}
          max={most}
          step={0.05}
          value={value ?? rest}
          aria-valuetext={value === null ? t('optionDefault') : formatNumber(value)}
          onChange={(event) => onChange(Math.round(Number(event.target.value) * 100) / 100)}
        />
        {value === null ? (
          <span className="dim option-value">{t('optionDefault')}</span>
        ) : (
          <button
            type="button"
            className="option-value num"
            title={t('useDefault', { name: label })}
            aria-label={`${formatNumber(value)}, ${t('useDefault', { name: label })}`}
            onClick={() => onChange(null)}
          >
            {formatNumber(value)} <Icon name="x" size={11} />
          </button>
        )}
      </span>
    </div>
  );
}

function Segments<T extends string | number | null>({
  label,
  values,
  chosen,
  nameOf,
  onChange,
}: {
  readonly label: string;
  readonly values: readonly T[];
  readonly chosen: T | number | string | null;
  readonly nameOf: (value: T) => string;
  readonly onChange: (value: T) => void;
}): ReactElement {
  return (
    <fieldset className="option-row">
      <legend className="sr">{label}</legend>
      <span aria-hidden="true">{label}</span>
      <span className="seg">
        {values.map((value) => (
          <button key={String(value)} type="button" aria-pressed={value === chosen} onClick={() => onChange(value)}>
            {nameOf(value)}
          </button>
        ))}
      </span>
    </fieldset>
  );
}

/** Returns the server of a tool: the part before `__` in the names of MCP tools. */
function serverOfTool(name: string): string {
  const [server = '', rest] = name.split('__', 2);
  return rest === undefined ? t('ownTools') : server;
}

/** Selects the tools that may be called, by server and by name. Renders nothing if there are no tools. */
export function ToolOptions({
  options: { toolsOn, toolsOff },
  several,
  onChange,
}: {
  readonly options: Pick<ChatOptions, 'toolsOn' | 'toolsOff'>;
  /** Whether several replies are requested, which cannot use tools. */
  readonly several: boolean;
  readonly onChange: (set: Partial<Pick<ChatOptions, 'toolsOn' | 'toolsOff'>>) => void;
}): ReactElement | null {
  const tools = useAppData((lists) => lists.tools);
  const [opened, setOpened] = useState<string | null>(null);
  const id = useId();
  if (tools.length === 0) return null;
  const setOff = (names: readonly string[], isOff: boolean) =>
    onChange({
      toolsOff: isOff ? [...new Set([...toolsOff, ...names])] : toolsOff.filter((each) => !names.includes(each)),
    });
  return (
    <div className="option-tools">
      <div className="option-row">
        <label htmlFor={id}>{t('toolsOn')}</label>
        <Switch id={id} on={toolsOn} onChange={(on) => onChange({ toolsOn: on })} />
      </div>
      {toolsOn
        ? [...groupByServer(tools)].map(([server, ofServer]) => (
            <ServerTools
              key={server}
              server={server}
              tools={ofServer}
              off={new Set(toolsOff)}
              onSetOff={setOff}
              isOpen={opened === server}
              onOpen={(isOpen) => setOpened(isOpen ? server : null)}
            />
          ))
        : null}
      {toolsOn && several ? (
        <p className="option-warning" role="status">
          <Icon name="warn" />
          <span>{t('toolsNeedOne')}</span>
        </p>
      ) : null}
    </div>
  );
}

type OfferedTool = AppData['tools'][number];

function groupByServer(tools: readonly OfferedTool[]): ReadonlyMap<string, readonly OfferedTool[]> {
  const servers = new Map<string, OfferedTool[]>();
  for (const tool of tools) {
    const server = serverOfTool(tool.name);
    servers.set(server, [...(servers.get(server) ?? []), tool]);
  }
  return servers;
}

interface ServerToolsProps {
  readonly server: string;
  readonly tools: readonly OfferedTool[];
  readonly off: ReadonlySet<string>;
  readonly onSetOff: (names: readonly string[], isOff: boolean) => void;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

/** A server with a switch for all its tools; on demand also a checkbox for each of them. */
function ServerTools({ server, tools, off, onSetOff, isOpen, onOpen }: ServerToolsProps): ReactElement {
  const names = tools.map((tool) => tool.name);
  const on = names.filter((name) => !off.has(name)).length;
  return (
    <div>
      <div className="option-row">
        <span className="clip">
          <span className="mono">{server}</span> <span className="dim">{t('toolsOf', { on, n: names.length })}</span>
        </span>
        <span className="option-field">
          <Button small look="quiet" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
            {t('chooseTools')}
          </Button>
          <Switch
            label={t('toolsOfServer', { name: server })}
            on={on > 0}
            onChange={(isOn) => onSetOff(names, !isOn)}
          />
        </span>
      </div>
      {isOpen ? (
        <ul className="tool-choices">
          {tools.map(({ name, description }) => (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={!off.has(name)}
                  onChange={(event) => onSetOff([name], !event.target.checked)}
                />
                <span className="mono">{name}</span>
                <span className="dim clip">{description}</span>
              </label>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** The label of the options button: the number of changed options, or the number of replies. */
export function formatOptionsLabel(
  options: Pick<ChatOptions, 'n' | 'temperature' | 'topP' | 'maxTokens' | 'thinking'>,
): string {
  if (options.n > 1) return tn('howMany', options.n);
  const { temperature, topP, maxTokens, thinking } = options;
  const set = [temperature, topP, maxTokens, thinking].filter((each) => each !== null).length;
  return set === 0 ? t('options') : t('optionsSet', { n: set });
}
