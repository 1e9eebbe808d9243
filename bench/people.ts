import { MS_PER_DAY } from "../src/core/dates.ts";

/** Made-up people, varied as real ones are: the n-th is the same in every run. */

const FIRST =
  `Ana Maria João José Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luís Gabriel Rafael Daniel
  Marcelo Bruno Eduardo Felipe Raimundo Rodrigo Francisca Antônia Adriana Juliana Márcia Fernanda Patrícia Aline
  Sandra Camila Amanda Bruna Jéssica Letícia Júlia Luciana Vanessa Mariana Gabriela Vera Larissa Cláudia Beatriz
  Luana Rita Sônia Renata Eliane Joaquim Zoë Søren Łukasz Nuño Çiğdem Élodie Günther Íris Ágata Otávio`.split(
    /\s+/,
  );
const LAST =
  `Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Ribeiro Carvalho Almeida Lopes
  Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas
  Cardoso Ramos Gonçalves Santana Teixeira Araújo Pinto Moura Cavalcanti Monteiro Batista Zanella Bianchi Kowalski
  Müller Yamamoto Takahashi Okafor Haddad Novák Ångström Ibáñez D'Ávila Sá-Carneiro Quevedo Würz Xavier`.split(
    /\s+/,
  );
const STREETS = ["Rua Harmonia", "Av. Paulista", "Rua das Flores", "Alameda Santos", "Rua Ouro Preto"];
const CITIES = [
  ["São Paulo", "SP"],
  ["Rio de Janeiro", "RJ"],
  ["Belo Horizonte", "MG"],
  ["Curitiba", "PR"],
  ["Florianópolis", "SC"],
] as const;
const HOSTS = ["example.com", "mail.example", "correio.example", "studio.example"];

export interface Person {
  readonly contactName: string;
  readonly contactEmail?: string;
  readonly contactPhone?: string;
  readonly birthdate?: string;
  readonly address?: {
    readonly city: string;
    readonly country: string;
    readonly line1: string;
    readonly postalCode: string;
    readonly state: string;
  };
  readonly idDocument?: { readonly type: "cpf" | "other"; readonly value: string };
  readonly notes?: string;
}

export function person(n: number): Person {
  const random = dice(n);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const first = pick(FIRST);
  const last = pick(LAST);
  const second = pick(LAST);
  const [city, state] = pick(CITIES);
  const chance = random();
  return {
    contactName: random() < 0.6 ? `${first} ${second} ${last}` : `${first} ${last}`,
    ...(random() < 0.8 && { contactEmail: `${plain(first)}.${plain(last)}${n}@${pick(HOSTS)}` }),
    ...(random() < 0.85 && { contactPhone: phone(random) }),
    ...(random() < 0.9 && { birthdate: birthdate(random) }),
    ...(random() < 0.6 && {
      address: {
        city,
        country: "BR",
        line1: `${pick(STREETS)} ${1 + Math.floor(random() * 2000)}`,
        postalCode: `${digits(random, 5)}-${digits(random, 3)}`,
        state,
      },
    }),
    ...(chance < 0.8
      ? { idDocument: { type: "cpf", value: cpf(n) } }
      : chance < 0.85
        ? { idDocument: { type: "other", value: `PA${String(n).padStart(8, "0")}` } }
        : {}),
    ...(random() < 0.1 && { notes: "Prefers mornings. Came with a friend." }),
  };
}

/** First and last name of a person, folded as searches are typed: a pair that few clients have. */
export function rarePair(n: number): string {
  const random = dice(n);
  const first = FIRST[Math.floor(random() * FIRST.length)] ?? "";
  // With the digits that an e-mail address ends in, few people are left.
  return `${plain(first)} ${digits(random, 4)}`;
}

/** A UUID of version 7 for this time. */
export function personId(atMs: number): string {
  const time = Math.floor(atMs).toString(16).padStart(12, "0");
  const hex = (length: number) =>
    Math.floor(Math.random() * 16 ** length)
      .toString(16)
      .padStart(length, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-a${hex(3)}-${hex(12)}`;
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function dice(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A valid CPF, another one for every n below a thousand million. */
function cpf(n: number): string {
  let text = String((n * 7_654_321 + 123_456_789) % 1_000_000_000).padStart(9, "0");
  for (const length of [9, 10]) {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += Number(text[i]) * (length + 1 - i);
    text += String(((sum * 10) % 11) % 10);
  }
  return text;
}

function phone(random: () => number): string {
  return `+55 ${11 + Math.floor(random() * 80)} 9${digits(random, 4)}-${digits(random, 4)}`;
}

function birthdate(random: () => number): string {
  const day = Math.floor(random() * 24_000);
  return new Date(Date.UTC(1940, 0, 1) + day * MS_PER_DAY).toISOString().slice(0, 10);
}

function digits(random: () => number, count: number): string {
  return String(Math.floor(random() * 10 ** count)).padStart(count, "0");
}

function plain(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[^A-Za-z]/g, "")
    .toLowerCase();
}
