/** Assigns each model a colour in the order of first use, and keeps it. */
import { readLocalText, writeLocalText } from './local-storage.ts';

const modelColours = ['model-1', 'model-2', 'model-3', 'model-4', 'model-5'] as const;
export type ModelColour = (typeof modelColours)[number];

let order: string[] | null = null;

function knownModels(): string[] {
  if (order !== null) return order;
  const kept = readLocalText('models');
  order = kept === null ? [] : kept.split('\n').filter(Boolean);
  return order;
}

/** Returns the colour of a model, and assigns the next one to a new model. More than five models share colours. */
export function modelColourOf(model: string): ModelColour {
  const models = knownModels();
  let index = models.indexOf(model);
  if (index < 0) {
    index = models.push(model) - 1;
    writeLocalText('models', models.join('\n'));
  }
  return modelColours[index % modelColours.length] ?? 'model-1';
}
