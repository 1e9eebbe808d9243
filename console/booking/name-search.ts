/** Whether each word that was typed begins a word of the name, whatever the accents. */
export function fitsName(name: string, typed: string): boolean {
  const parts = plain(name).split(/\s+/);
  return plain(typed)
    .trim()
    .split(/\s+/)
    .every((word) => parts.some((part) => part.startsWith(word)));
}

function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
