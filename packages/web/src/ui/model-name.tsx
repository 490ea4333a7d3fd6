import type { ReactElement } from 'react';
import { modelColourOf } from '../state/model-colours.ts';

/** A model: a disc in its colour, then its name. */
export function ModelName({ model }: { readonly model: string }): ReactElement {
  const name = model.split('/').at(-1) ?? model;
  return (
    <span className={`model ${modelColourOf(name)}`}>
      <bdi>{name}</bdi>
    </span>
  );
}
