import type { ReactElement } from 'react';
import { flowerOf } from '../state/hues.ts';

/** A model: a disc in its colour, then its name. */
export function ModelName({ model }: { readonly model: string }): ReactElement {
  const name = model.split('/').at(-1) ?? model;
  return <span className={`model ${flowerOf(name)}`}>{name}</span>;
}
