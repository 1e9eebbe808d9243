/**
 * Passwords that are guessed within the first thousands of tries. Twelve characters are asked for, so those have a pattern:
 * a run, a repetition, a name that everybody at the studio knows, or a few of the words that people choose most.
 */

/** What people choose most, in the languages of the application. */
const COMMON = `
  password passwort trustno1 senha contrasena clave secret secreta segredo secreto
  admin administrator administrador root user usuario guest login master test teste prueba demo default changeme
  welcome bemvindo bienvenido hello ola hola letmein entrar iloveyou teamo amor love amo meu minha mi my the
  qwerty qwertz azerty asdf zxcv qazwsx dragon monkey shadow sunshine princess princesa superman batman pokemon naruto
  starwars football futebol futbol soccer baseball basketball liverpool barcelona realmadrid flamengo corinthians
  palmeiras saopaulo santos gremio brasil brazil mexico espana argentina jesus deus dios cristo familia family
  summer winter spring autumn verao inverno primavera verano invierno monday segunda lunes
  michael jennifer jordan maria jose joao pedro carlos daniel
  studio estudio gym academia gimnasio fitness pilates yoga crossfit treino entreno aula clase class correcthorsebatterystaple
`
  .trim()
  .split(/\s+/);

/** Neighbours on keyboards and in alphabets, also backwards and around their ends. */
const ROWS = [
  "abcdefghijklmnopqrstuvwxyz",
  "1234567890",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "qazwsxedcrfvtgbyhnujmikolp",
  "!@#$%^&*()_+",
].flatMap((row) => {
  const around = row + row;
  return [around, [...around].reverse().join("")];
});

/** Digits and signs that people write for letters; `1` and `!` for one of two. */
const LOOKALIKES: readonly Readonly<Record<string, string>>[] = ["i", "l"].map((letter) => ({
  ...{ "0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", $: "s" },
  ...{ "1": letter, "!": letter },
}));

const LEAST_RUN = 3;
/**
 * So much is a password to have: each character of its own is 1, each pattern 2, however long, and the same again nothing.
 * All names together are one pattern. "carla.dias.2026" has two patterns: 4. "kq9xzmkq9xzm" has six of its own, twice: 6.
 */
const LEAST = 8;
/** Signs between words, and one at the end, make nothing harder to guess. */
const FREE_SIGNS = 3;
const LEAST_CHARACTERS = 5;

/** Whether a password is one of the first that somebody tries; `names` are those of the person and the organization. */
export function isGuessable(password: string, names: readonly string[]): boolean {
  const text = fold(password);
  if (new Set(text).size < LEAST_CHARACTERS) return true;
  const known = new Map([
    ...COMMON.map((word) => [word, word] as const),
    ...["Rollbook", ...names].flatMap(wordsOf).map((word) => [word, "a name"] as const),
  ]);
  const words = [...known.keys()].sort((a, b) => b.length - a.length);
  const patterns = new Set<string>();
  let own = 0;
  let signs = 0;
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const texts = [rest, ...LOOKALIKES.map((letters) => readAs(rest, letters))];
    const word = words.find((one) => texts.some((each) => each.startsWith(one)));
    const again = repeated(text, at);
    const pattern = longest(again, repetition(rest), run(rest), zigzag(rest), year(rest), word);
    at += pattern?.length ?? 1;
    if (pattern === undefined && /^[\p{L}\p{N}]/u.test(rest)) own++;
    else if (pattern === undefined) signs++;
    else if (pattern !== again) patterns.add(known.get(pattern) ?? pattern);
  }
  return own + 2 * patterns.size + Math.max(0, signs - FREE_SIGNS) < LEAST;
}

/** Lower case, without accents and white space. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{M}\s]/gu, "");
}

/** The words of a name, without those that are in many. */
function wordsOf(name: string): string[] {
  return name
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .map(fold)
    .filter(({ length }) => length >= LEAST_RUN);
}

function repetition(text: string): string | undefined {
  return /^(.)\1{2,}/u.exec(text)?.[0];
}

function year(text: string): string | undefined {
  return /^(19|20)\d\d/.exec(text)?.[0];
}

/** The longest part of a row that the text begins with. */
function run(text: string): string | undefined {
  let length = 0;
  while (length < text.length && isRun(text.slice(0, length + 1))) length++;
  return length >= LEAST_RUN ? text.slice(0, length) : undefined;
}

/** Two runs that the text begins with in turns: `q1w2e3` is `qwe` and `123`. */
function zigzag(text: string): string | undefined {
  const every = (length: number, odd: number) =>
    [...text.slice(0, length)].filter((_, place) => place % 2 === odd).join("");
  let length = 0;
  while (length < text.length && isRun(every(length + 1, 0)) && isRun(every(length + 1, 1))) length++;
  return length >= 2 * LEAST_RUN ? text.slice(0, length) : undefined;
}

function isRun(text: string): boolean {
  return ROWS.some((row) => row.includes(text));
}

/** The longest part that begins at this place and was there before. */
function repeated(text: string, at: number): string | undefined {
  let length = 0;
  while (at + length < text.length && text.slice(0, at).includes(text.slice(at, at + length + 1))) length++;
  return length >= LEAST_RUN ? text.slice(at, at + length) : undefined;
}

function readAs(text: string, letters: Readonly<Record<string, string>>): string {
  return text.replace(/[^\p{L}]/gu, (sign) => letters[sign] ?? sign);
}

function longest(...found: readonly (string | undefined)[]): string | undefined {
  return found.reduce((best, one) => ((one?.length ?? 0) > (best?.length ?? 0) ? one : best), undefined);
}
