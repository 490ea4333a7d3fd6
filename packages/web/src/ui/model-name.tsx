import type { ReactElement } from 'react';
import { modelColourOf } from '../state/model-colours.ts';

/** The name of a model without its provider. */
export function nameOfModel(model: string): string {
  return model.split('/').at(-1) ?? model;
}

/** A model: a disc in its colour, then its name. */
export function ModelName({ model }: { readonly model: string }): ReactElement {
  const name = nameOfModel(model);
  return (
    <span className={`model ${modelColourOf(name)}`}>
      <bdi>{name}</bdi>
    </span>
  );
}
