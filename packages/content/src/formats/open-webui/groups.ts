// Determines groups of variants. A chat shows a group if several models answered one question and the question has no
// other answers. For other groups Coppice adds a field to the message, which Open WebUI preserves.
import type { JsonObject } from '@coppice/core';
import { listAt, numberAt, objectAt } from '../fields.ts';
import type { RecordTurn } from '../record-turns.ts';

/** The key of the field that Coppice adds to a message. */
export const groupFieldKey = 'coppice';

/** Returns the group of a message in a chat; undefined without a group. */
export function groupOfMessage(message: JsonObject, question: JsonObject): string | undefined {
  const noted = numberAt(objectAt(message, groupFieldKey), 'group');
  if (noted !== undefined) return noted > 0 ? `${noted}` : undefined;
  const several = listAt(question, 'models').length > 1;
  return several && message.role === 'assistant' && numberAt(message, 'modelIdx') !== undefined ? 'models' : undefined;
}

/** Keeps only names of groups with at least two members. */
function sharedGroup(names: readonly (string | undefined)[]): (string | undefined)[] {
  const counts = new Map<string | undefined, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name) => ((counts.get(name) ?? 0) > 1 ? name : undefined));
}

/** Replaces names by numbers in order of appearance; 0 for no name. */
function numberGroups(names: readonly (string | undefined)[]): number[] {
  const numbers = new Map<string, number>();
  return names.map((name) => {
    if (name === undefined) return 0;
    const number = numbers.get(name) ?? numbers.size + 1;
    numbers.set(name, number);
    return number;
  });
}

/** Returns the group fields to write, for variants whose groups the chat would not show or would show differently. */
export function findGroupFieldsToWrite(
  turns: readonly RecordTurn[],
  bodies: ReadonlyMap<RecordTurn, JsonObject>,
): ReadonlyMap<RecordTurn, number> {
  const notes = new Map<RecordTurn, number>();
  const families = new Map<RecordTurn | null, RecordTurn[]>();
  for (const turn of turns) {
    const family = families.get(turn.parent);
    if (family === undefined) families.set(turn.parent, [turn]);
    else family.push(turn);
  }
  for (const [parent, family] of families) {
    const question = parent === null ? {} : (bodies.get(parent) ?? {});
    const names = family.map(({ nodes: [first] }) =>
      first === undefined || first.groupId === 0 ? undefined : `${first.parentId} ${first.groupId}`,
    );
    const wanted = numberGroups(sharedGroup(names));
    const reported = numberGroups(sharedGroup(family.map((turn) => groupOfMessage(bodies.get(turn) ?? {}, question))));
    if (wanted.every((number, index) => number === reported[index])) continue;
    for (const [index, turn] of family.entries())
      if (wanted[index] !== 0 || reported[index] !== 0) notes.set(turn, wanted[index] ?? 0);
  }
  return notes;
}
