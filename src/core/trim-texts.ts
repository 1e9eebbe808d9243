import type { TSchema } from "typebox";

interface TextMember {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly minLength?: number;
  readonly properties?: Readonly<Record<string, TextMember>>;
}

/**
 * A raw input without outer white space in its e-mail addresses and in texts that must not be empty: a name or a reason
 * of blanks alone is then found empty. Lists stay as they are, since their texts are ids, some of them made elsewhere,
 * and so do passwords, which must be longer than one character.
 */
export function trimTexts(schema: TSchema, raw: unknown): unknown {
  return trimMembers(schema as TextMember, raw);
}

function trimMembers({ properties }: TextMember, raw: unknown): unknown {
  if (!properties || typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw;
  const input: Record<string, unknown> = { ...raw };
  for (const [name, member] of Object.entries(properties)) {
    if (!Object.hasOwn(input, name)) continue;
    const value = input[name];
    if (typeof value !== "string") input[name] = trimMembers(member, value);
    else if (member.minLength === 1 || member.format === "email") input[name] = value.trim();
  }
  return input;
}
