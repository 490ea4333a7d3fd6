import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

// A slower server counts as a server without models.
const askModelsMs = 5_000;

export const models = defineSubcommand({
  name: 'models',
  summary: 'list the models that are ready to use',
  group: 'Manage',
  arguments: [{ name: 'words', summary: 'part of the name', optional: true, many: true }],
  options: [{ name: 'all', summary: 'also models whose provider has no key yet' }],
  examples: ['coppice models', 'coppice models claude', 'coppice models --all --json'],
  async run(given, at) {
    const providers = await at.models();
    // Requests the models of the configured servers, because they know their own list best.
    await providers.refresh(AbortSignal.any([at.host.signal, AbortSignal.timeout(askModelsMs)]));
    const chosen = await providers.defaultModel(at.host.signal);
    const words = given.many('words').map((word) => word.toLowerCase());
    const all = providers.list();
    const named = all.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)));
    const shown = given.flag('all') ? named : named.filter(({ ready }) => ready);
    const { style } = at.output;
    const width = Math.max(0, ...shown.map(({ id }) => id.length));
    const lines = shown.map((model) => {
      const notes = [
        model.id === chosen ? 'default' : '',
        model.windowKnown ? `${Math.round(model.window / 1000)}k tokens` : '',
        model.ready ? '' : 'needs a key',
      ].filter((note) => note !== '');
      return `${toOneLine(model.id, width).padEnd(width)}  ${style.quiet(notes.join(', '))}`.trimEnd();
    });
    const hidden = named.length - shown.length;
    if (lines.length === 0) lines.push(style.quiet('No model matches. List all models with coppice models --all.'));
    if (hidden > 0)
      lines.push(style.quiet(`${formatCountedNoun(hidden, 'more model')} without a key: coppice models --all`));
    return { data: { default: chosen, models: shown }, lines };
  },
});
