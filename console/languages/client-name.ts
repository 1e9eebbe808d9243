import { dictionary } from "./words.ts";

/** What the server keeps in the place of the name of everybody who was erased. */
const ERASED = "Erased client";

const words = dictionary({ erased: ERASED }, { erased: "Cliente apagado" }, { erased: "Cliente borrado" });

/** A client's name as the person reads it: that of somebody erased is a word, and words are in their language. */
export function nameOfClient(stored: string): string {
  return stored === ERASED ? words().erased : stored;
}
