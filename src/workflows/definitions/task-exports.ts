/**
 * The names that a task file exports, read from its text: the file itself runs in a worker, never in the process that asks.
 *
 *   export function A() {}            export async function B() {}       export const C = …
 *   export { d, e as F, g as 'h.i' }  (also with `from`)
 *
 * Not seen: `export *`, `export default`, destructuring, the second name of `export const a = 1, b = 2`. Types are not tasks.
 */
export type TaskExport = { name: string; offset: number };

export function findTaskExports(text: string): TaskExport[] {
  const code = blankOut(text);
  const found: TaskExport[] = [];
  let depth = 0;
  let counted = 0;
  for (const match of code.matchAll(/(?<![\w$.#])export\b(?!\s*:)/g)) {
    depth += bracketsIn(code, counted, match.index);
    counted = match.index;
    // An `export` inside of brackets, as in a `declare module` block, is not the file's.
    if (depth === 0) found.push(...exportsFrom(text, code, match.index + 'export'.length));
  }
  return found;
}

const declaration = /\s+(?:async\s+)?(?:function(?:\s*\*)?\s*|(?:const|let|var)\s+)([\p{L}_$][\p{L}\p{N}_$]*)/uy;
const list = /\s*\{([^}]*)\}/y;

function exportsFrom(text: string, code: string, from: number): TaskExport[] {
  declaration.lastIndex = from;
  const declared = declaration.exec(code);
  if (declared) return [{ name: declared[1], offset: declared.index + declared[0].length - declared[1].length }];
  list.lastIndex = from;
  const listed = list.exec(code);
  if (!listed) return [];
  let offset = listed.index + listed[0].indexOf('{') + 1;
  const found: TaskExport[] = [];
  for (const part of listed[1].split(',')) {
    // The blanked code has lost what stands between quotes; the text has it.
    const entry = text.slice(offset, offset + part.length);
    const name = /(?:^|\sas\s)\s*(?:'([^']+)'|"([^"]+)"|([\p{L}_$][\p{L}\p{N}_$]*))\s*$/u.exec(
      entry.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => ' '.repeat(comment.length)),
    );
    const exported = name?.[1] ?? name?.[2] ?? name?.[3];
    if (exported !== undefined && exported !== 'default' && !/^\s*type\s+(?!as\s*$)/.test(entry)) {
      found.push({ name: exported, offset: offset + entry.lastIndexOf(exported) });
    }
    offset += part.length + 1;
  }
  return found;
}

/** How many more brackets open than close between two places. */
function bracketsIn(code: string, from: number, to: number): number {
  let depth = 0;
  for (let index = from; index < to; index++) {
    const character = code[index];
    if (character === '{' || character === '(' || character === '[') depth += 1;
    else if (character === '}' || character === ')' || character === ']') depth -= 1;
  }
  return depth;
}

/** A slash after one of these begins a regular expression; after a name, a number or a closing bracket it divides. */
const beforeRegex =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield))\s*$/;

/** The same length, with spaces for everything inside comments, texts, templates and regular expressions. */
function blankOut(text: string): string {
  const pieces: string[] = [];
  /** Open `${` of templates: how many braces are open inside each. */
  const templates: number[] = [];
  let index = 0;
  const skipTo = (end: number) => {
    pieces.push(text.slice(index, end).replaceAll(/[^\n]/g, ' '));
    index = end;
  };
  while (index < text.length) {
    const character = text[index];
    const next = text[index + 1];
    if (character === '/' && next === '/') skipTo(endOf(text, '\n', index));
    else if (character === '/' && next === '*') skipTo(endOf(text, '*/', index + 2));
    else if (character === '"' || character === "'") skipTo(endOfQuoted(text, index));
    else if (character === '`') skipTo(endOfTemplateText(text, index + 1, templates));
    else if (character === '}' && templates.at(-1) === 0) {
      templates.pop();
      skipTo(endOfTemplateText(text, index + 1, templates));
    } else if (character === '/' && beforeRegex.test(pieces.slice(-40).join('').slice(-40)))
      skipTo(endOfRegex(text, index));
    else {
      if (templates.length > 0 && character === '{') templates[templates.length - 1] += 1;
      if (templates.length > 0 && character === '}') templates[templates.length - 1] -= 1;
      pieces.push(character);
      index += 1;
    }
  }
  return pieces.join('');
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

function endOfQuoted(text: string, from: number): number {
  for (let index = from + 1; index < text.length; index++) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === text[from] || text[index] === '\n') return index + 1;
  }
  return text.length;
}

/** Up to the closing backtick, or past a `${`, which opens code again. */
function endOfTemplateText(text: string, from: number, templates: number[]): number {
  for (let index = from; index < text.length; index++) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '`') return index + 1;
    else if (text[index] === '$' && text[index + 1] === '{') {
      templates.push(0);
      return index + 2;
    }
  }
  return text.length;
}

function endOfRegex(text: string, from: number): number {
  let inClass = false;
  for (let index = from + 1; index < text.length; index++) {
    const character = text[index];
    if (character === '\n') return index;
    if (character === '\\') index += 1;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return index + 1;
  }
  return text.length;
}
