import { builtInArguments } from '../built-ins.ts';
import { type Complaints, check } from './complaints.ts';
import { compileExpression } from './expression.ts';
import { splitTemplate } from './template.ts';
import { follow, type Place } from './yaml-source.ts';

/** `item` and `index` exist only in the arguments of a foreach. */
export function checkExpression(
  text: string,
  place: Place,
  isInForeach: boolean,
  complaints: Complaints,
  offset = 0,
): void {
  const compiled = compileExpression(text);
  if ('fault' in compiled) {
    complaints.inText(place, offset + compiled.fault.offset, compiled.fault.message);
    return;
  }
  const stray = isInForeach ? undefined : ['item', 'index'].find((name) => compiled.names.has(name));
  if (stray !== undefined) {
    const at = Math.max(text.search(new RegExp(`\\b${stray}\\b`)), 0);
    complaints.inText(place, offset + at, `"${stray}" exists only in the "with" of a foreach.`);
  }
}

/** Every `{{…}}` in every text of a value. */
export function checkTemplates(value: unknown, place: Place, isInForeach: boolean, complaints: Complaints): void {
  if (typeof value === 'string') {
    const split = splitTemplate(value);
    if ('fault' in split) return complaints.inText(place, split.fault.offset, split.fault.message);
    for (const part of split.parts) {
      if ('expression' in part) checkExpression(part.expression, place, isInForeach, complaints, part.offset);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value))
      checkTemplates(member, follow(place, [key]), isInForeach, complaints);
  }
}

/** A text with an expression in it may become anything, so what the schema says about that text is put off until it runs. */
export function checkArguments(task: string, value: unknown, place: Place, complaints: Complaints): void {
  const schema = Object.entries(builtInArguments).find(([name]) => name === task)?.[1];
  if (!schema) return;
  const what = value === undefined ? `"with" of ${task}` : `the arguments of ${task}`;
  const later: Complaints = {
    ...complaints,
    at: (where, message, prefer) => {
      if (!isFilledInLater(value, place, where)) complaints.at(where, message, prefer);
    },
  };
  check(
    schema,
    value ?? {},
    value === undefined ? { ...place, value: place.key, children: new Map() } : place,
    what,
    later,
  );
}

function isFilledInLater(value: unknown, place: Place, where: Place): boolean {
  if (place === where) return typeof value === 'string' && value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => {
    const child = place.children.get(key);
    return child !== undefined && isFilledInLater(member, child, where);
  });
}
