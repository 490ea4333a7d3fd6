import { expect, test } from 'vitest';
import { refusalTextsDe } from './de/refusals.ts';
import { createRefusalTranslator } from './translate-refusal.ts';

const germanRefusal = createRefusalTranslator('de', refusalTextsDe);

test('[B87] a German refusal has the values of the English one, and leaves out unknown ones', () => {
  const full = { code: 'context/full', message: 'It is full.', data: { model: 'openai/gpt-5', window: 8000 } };
  expect(germanRefusal(full)).toEqual({
    said: 'Der Chat füllt das Kontextfenster von openai/gpt-5 (8.000 Token): fass ältere Nachrichten zusammen, zweige früher ab oder nimm ein Modell mit größerem Fenster.',
    english: '',
  });
  expect(germanRefusal({ ...full, data: {} })?.said).toBe(
    'Der Chat füllt das Kontextfenster des Modells: fass ältere Nachrichten zusammen, zweige früher ab oder nimm ein Modell mit größerem Fenster.',
  );
  for (const code of Object.keys(refusalTextsDe))
    expect(germanRefusal({ code, message: '', data: {} })?.said).not.toMatch(/[{}]/);
});

test('[B87] if the server adds details to a code, they follow the German sentence', () => {
  expect(germanRefusal({ code: 'provider/rejected', message: 'No model “x”.', data: {} })).toEqual({
    said: 'Der Anbieter hat die Anfrage abgelehnt:',
    english: 'No model “x”.',
  });
  // A message must not end with a colon that nothing follows.
  expect(germanRefusal({ code: 'provider/rejected', message: '', data: {} })).toEqual({
    said: 'Der Anbieter hat die Anfrage abgelehnt.',
    english: '',
  });
});

test('[B87] an unknown code is shown in the words of the server, even one named like a built-in property', () => {
  for (const code of ['plugin/own', 'constructor', '__proto__', ''])
    expect(germanRefusal({ code, message: 'x', data: {} })).toBe(null);
});
