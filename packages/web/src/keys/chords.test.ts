import { describe, expect, test } from 'vitest';
import { chordOf, formatChord, type KeyboardEventFields } from './chords.ts';

function pressed(key: string, held: Partial<KeyboardEventFields> = {}): KeyboardEventFields {
  return { key, code: '', metaKey: false, ctrlKey: false, altKey: false, shiftKey: false, ...held };
}

describe('[B98] a character works as a shortcut wherever a keyboard has it', () => {
  test('with Shift, like / and ? on a German keyboard', () => {
    expect(chordOf(pressed('/', { shiftKey: true }), false)).toBe('/');
    expect(chordOf(pressed('?', { shiftKey: true }), false)).toBe('?');
    expect(chordOf(pressed('/'), false)).toBe('/');
  });

  test('with AltGr, which Windows reports as Ctrl and Alt, and with Option', () => {
    expect(chordOf(pressed('[', { ctrlKey: true, altKey: true }), false)).toBe('[');
    expect(chordOf(pressed('[', { getModifierState: (name) => name === 'AltGraph' }), false)).toBe('[');
    expect(chordOf(pressed('[', { altKey: true, code: 'Digit5' }), true)).toBe('[');
  });

  test('and letters keep their modifier keys', () => {
    expect(chordOf(pressed('Z', { shiftKey: true, ctrlKey: true, code: 'KeyZ' }), false)).toBe('shift+mod+z');
    expect(chordOf(pressed('®', { altKey: true, code: 'KeyR' }), true)).toBe('alt+r');
    expect(chordOf(pressed('R', { shiftKey: true, code: 'KeyR' }), false)).toBe('shift+r');
    expect(chordOf(pressed('/', { ctrlKey: true }), false)).toBe('mod+/');
  });
});

test('[B98] keys are shown as the keyboard names them', () => {
  expect(formatChord('shift+mod+z', true)).toBe('⇧⌘Z');
  expect(formatChord('shift+mod+z', false)).toBe('Ctrl+Shift+Z');
  expect(formatChord('alt+r', false)).toBe('Alt+R');
  expect(formatChord('g m', false)).toBe('G M');
  expect(formatChord('escape', false)).toBe('Esc');
  expect(formatChord('arrowleft', true)).toBe('←');
});
