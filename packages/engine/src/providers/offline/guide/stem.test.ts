import { expect, it } from 'vitest';
import { stemWord } from './stem.ts';

it('[G69] words with the same stem are equal, and Porter’s examples give his results', () => {
  const examples = {
    caresses: 'caress',
    ponies: 'poni',
    cats: 'cat',
    agreed: 'agre',
    plastered: 'plaster',
    motoring: 'motor',
    sing: 'sing',
    conflated: 'conflat',
    hopping: 'hop',
    falling: 'fall',
    filing: 'file',
    happy: 'happi',
    sky: 'sky',
    relational: 'relat',
    conditional: 'condit',
    formative: 'form',
    electrical: 'electr',
    hopefulness: 'hope',
    goodness: 'good',
    allowance: 'allow',
    adjustment: 'adjust',
    adoption: 'adopt',
    probate: 'probat',
    rate: 'rate',
    controlling: 'control',
  };
  for (const [word, stemmed] of Object.entries(examples)) expect([word, stemWord(word)]).toEqual([word, stemmed]);
  for (const words of [
    ['branch', 'branches', 'branching'],
    ['summarize', 'summarise', 'summarised', 'summarizing'],
    ['configure', 'configured', 'configures'],
    ['delete', 'deleted', 'deleting', 'deletes'],
  ])
    expect(new Set(words.map(stemWord)).size, words.join()).toBe(1);
  expect(stemWord('é2')).toBe('é2');
});
