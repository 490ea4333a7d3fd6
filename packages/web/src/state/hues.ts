/** Models take woodland flowers in the order of their first use, and keep them. */
import { read, write } from './kept.ts';

const flowers = ['bluebell', 'ivy', 'foxglove', 'speedwell', 'violet'] as const;
/** A flower. */
export type Flower = (typeof flowers)[number];

let order: string[] | null = null;

function known(): string[] {
  if (order !== null) return order;
  const kept = read('models');
  order = kept === null ? [] : kept.split('\n').filter(Boolean);
  return order;
}

/** The flower of a model. */
export function flowerOf(model: string): Flower {
  const models = known();
  let index = models.indexOf(model);
  if (index < 0) {
    index = models.push(model) - 1;
    write('models', models.join('\n'));
  }
  return flowers[index % flowers.length] ?? 'bluebell';
}
