/** A template literal: the text between its expressions, and the expressions as they are written. */
export interface Template {
  readonly texts: readonly string[];
  readonly expressions: readonly string[];
}

/** The template literals of a TypeScript source, those inside the expressions of others included. */
export function templateLiterals(source: string): Template[] {
  const found: Template[] = [];
  scan(source, 0, found, false);
  return found;
}

/** Reads code from a place on; inside an expression of a template, to behind its closing brace. */
function scan(source: string, start: number, found: Template[], isInside: boolean): number {
  let open = 0;
  for (let i = start; i < source.length; i++) {
    const character = source[i];
    if (source.startsWith("//", i) && source[i - 1] !== ":") i = endOr(source.indexOf("\n", i), source);
    else if (source.startsWith("/*", i)) i = endOr(source.indexOf("*/", i + 2), source) + 1;
    else if (character === '"' || character === "'") i = endOfQuoted(source, i);
    else if (character === "`") i = readTemplate(source, i, found);
    else if (character === "{") open++;
    else if (character === "}" && isInside && open-- === 0) return i + 1;
  }
  return source.length;
}

/** Reads the template that begins here and returns the place of its closing backtick. */
function readTemplate(source: string, start: number, found: Template[]): number {
  const texts: string[] = [];
  const expressions: string[] = [];
  let from = start + 1;
  let i = from;
  for (; i < source.length && source[i] !== "`"; i++) {
    if (source[i] === "\\") i++;
    else if (source.startsWith("${", i)) {
      texts.push(source.slice(from, i));
      const end = scan(source, i + 2, found, true);
      expressions.push(source.slice(i + 2, end - 1).trim());
      from = end;
      i = end - 1;
    }
  }
  texts.push(source.slice(from, i));
  found.push({ texts, expressions });
  return i;
}

function endOfQuoted(source: string, start: number): number {
  const quote = source[start];
  let i = start + 1;
  while (i < source.length && source[i] !== quote && source[i] !== "\n") i += source[i] === "\\" ? 2 : 1;
  return i;
}

function endOr(index: number, source: string): number {
  return index < 0 ? source.length : index;
}
