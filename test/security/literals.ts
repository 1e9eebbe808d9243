/** The regular expressions that a TypeScript source writes out, in order. */
export function regexLiterals(source: string): { source: string; flags: string }[] {
  const found: { source: string; flags: string }[] = [];
  // For each template literal that is open: how many braces stand open inside its current `${`.
  const templates: number[] = [];
  let before = "";
  for (let i = 0; i < source.length; ) {
    const rest = source.slice(i, i + 2);
    const character = source[i] as string;
    if (/\s/.test(character)) {
      i++;
    } else if (rest === "//") {
      i = endOr(source.indexOf("\n", i), source);
    } else if (rest === "/*") {
      i = endOr(source.indexOf("*/", i + 2), source) + 2;
    } else if (character === '"' || character === "'") {
      i = skipQuoted(source, i);
      before = '"';
    } else if (character === "`" || (character === "}" && templates.at(-1) === 0)) {
      if (character === "}") templates.pop();
      const end = skipTemplate(source, i + 1);
      if (source[end - 1] === "{") templates.push(0);
      before = source[end - 1] === "{" ? "(" : '"';
      i = end;
    } else if (character === "/" && startsExpression(before)) {
      const end = skipRegex(source, i);
      const flags = /^[a-z]*/.exec(source.slice(end))?.[0] ?? "";
      found.push({ source: source.slice(i + 1, end - 1), flags });
      i = end + flags.length;
      before = '"';
    } else {
      const word = /^[\w$]+/.exec(source.slice(i, i + 100))?.[0];
      const last = templates.length - 1;
      if (character === "{" && last >= 0) templates[last] = (templates[last] ?? 0) + 1;
      if (character === "}" && last >= 0) templates[last] = (templates[last] ?? 0) - 1;
      before = word ?? character;
      i += before.length;
    }
  }
  return found;
}

/** Whether a slash after this begins an expression rather than divides by one. */
function startsExpression(before: string): boolean {
  if (/^[\w$]+$/.test(before)) return /^(?:return|typeof|case|in|of|yield|await)$/.test(before);
  return !['"', ")", "]", "}"].includes(before);
}

function skipQuoted(source: string, start: number): number {
  const quote = source[start];
  let i = start + 1;
  while (i < source.length && source[i] !== quote) i += source[i] === "\\" ? 2 : 1;
  return i + 1;
}

/** To behind the closing backtick, or behind the `${` that opens an expression. */
function skipTemplate(source: string, start: number): number {
  for (let i = start; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "`") return i + 1;
    else if (source.startsWith("${", i)) return i + 2;
  }
  return source.length;
}

function skipRegex(source: string, start: number): number {
  let isInClass = false;
  for (let i = start + 1; i < source.length; i++) {
    const character = source[i];
    if (character === "\\") i++;
    else if (character === "[") isInClass = true;
    else if (character === "]") isInClass = false;
    else if (character === "/" && !isInClass) return i + 1;
    else if (character === "\n") throw new Error(`a regular expression without an end at ${start}`);
  }
  throw new Error("a regular expression without an end");
}

function endOr(index: number, source: string): number {
  return index < 0 ? source.length : index;
}
