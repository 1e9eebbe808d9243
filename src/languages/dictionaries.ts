import type { Dictionary, Language } from "./dictionary.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { ptBr } from "./pt-br.ts";

export const DICTIONARIES: Readonly<Record<Language, Dictionary>> = { en, "pt-BR": ptBr, es };
